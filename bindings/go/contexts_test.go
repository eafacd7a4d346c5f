package percale_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"percale.alt/go/percale"
)

// entries are all functions that take a context, except Server.Wait, which needs a plug-in. Each
// does something that succeeds while the context is alive.
func entries(t *testing.T, e *percale.Engine) map[string]func(context.Context) error {
	t.Helper()
	s := powers(t, e, 1)
	x := good[*percale.Tensor](t)(percale.FromSlice([]float32{2}, 1, 1))
	feeds := percale.Feeds{"x": x}
	in, out := []float32{1}, []float32{0}
	call := exp(t, e, in, out)
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	data := signs(t, e)
	over := good[*percale.Event](t)(s.Start(feeds, []string{"y"}, nil))
	<-over.Done()
	return map[string]func(context.Context) error{
		"Session.Run": func(ctx context.Context) error {
			_, err := s.Run(ctx, feeds, "y")
			return err
		},
		"Session.RunTargets": func(ctx context.Context) error {
			_, err := s.RunTargets(ctx, feeds, []string{"y"}, nil)
			return err
		},
		"Event.Wait of a new run": func(ctx context.Context) error {
			event, err := s.Start(feeds, []string{"y"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer event.Close()
			return event.Wait(ctx)
		},
		"Event.Wait of a run that is over": over.Wait,
		"Call.Run": func(ctx context.Context) error {
			out[0] = 0
			err := call.Run(ctx)
			if err != nil && out[0] != 0 {
				t.Fatal("the call ran")
			}
			return err
		},
		"Trainer.Fit": func(ctx context.Context) error {
			steps := trainer.Steps()
			err := trainer.Fit(ctx, data, steps/4+1, nil)
			if err != nil && trainer.Steps() != steps {
				t.Fatal("the trainer made steps")
			}
			return err
		},
	}
}

func TestNothingRunsUnderAContextThatHasEnded(t *testing.T) {
	mine := errors.New("my own cause")
	cancelled, cancel := context.WithCancelCause(background)
	cancel(mine)
	late, stop := context.WithDeadlineCause(background, time.Now().Add(-time.Hour), mine)
	defer stop()
	for name, run := range entries(t, engine(t, nil)) {
		for range 1000 {
			if err := run(cancelled); !errors.Is(err, context.Canceled) || !errors.Is(err, percale.Cancelled) || !errors.Is(err, mine) {
				t.Fatalf("%s under a context that was cancelled: %v", name, err)
			}
			err := run(late)
			if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, percale.DeadlineExceeded) || !errors.Is(err, mine) {
				t.Fatalf("%s under a context whose deadline has passed: %v", name, err)
			}
		}
		if err := run(background); err != nil {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
}

// untold is a context with a deadline whose Done channel is never closed.
type untold struct {
	context.Context
	deadline time.Time
}

func (u untold) Deadline() (time.Time, bool) { return u.deadline, true }

func TestDeadlineIsLookedAtWhereTheContextDoesNotSayIt(t *testing.T) {
	late := untold{background, time.Now().Add(-time.Nanosecond)}
	for name, run := range entries(t, engine(t, nil)) {
		if err := run(late); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, percale.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDeadlineIsTheLibrarysToo(t *testing.T) {
	e := engine(t, nil)
	s := powers(t, e, 8)
	x := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 2500, 2500))
	call := good[*percale.Call](t)(s.Prepare([]percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{2500, 2500}}}, "y"))
	y := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 2500, 2500))
	if err := call.Bind([]*percale.Tensor{x}, []*percale.Tensor{y}); err != nil {
		t.Fatal(err)
	}
	soon := func() context.Context { return untold{background, time.Now().Add(20 * time.Millisecond)} }
	_, err := s.Run(soon(), percale.Feeds{"x": x}, "y")
	wants(t, err, percale.DeadlineExceeded)
	wants(t, call.Run(soon()), percale.DeadlineExceeded)
}

func TestCauseOfADeadlineIsKept(t *testing.T) {
	mine := errors.New("my own cause")
	s := powers(t, engine(t, nil), 8)
	x := good[*percale.Tensor](t)(percale.FromSlice(make([]float32, 2500*2500), 2500, 2500))
	ctx, cancel := context.WithTimeoutCause(background, 20*time.Millisecond, mine)
	defer cancel()
	_, err := s.Run(ctx, percale.Feeds{"x": x}, "y")
	wants(t, err, percale.DeadlineExceeded)
	if !errors.Is(err, mine) {
		t.Errorf("%v has lost its cause", err)
	}
}

package percale_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"percale.alt/go/percale"
)

// inGoroutines runs work(number) in this many goroutines and returns the errors.
func inGoroutines(count int, work func(number int) error) (failed []error) {
	errs := make([]error, count)
	var all sync.WaitGroup
	for number := range count {
		all.Add(1)
		go func() {
			defer all.Done()
			errs[number] = work(number)
		}()
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

// endsWhileUsed closes the object that make returns while three goroutines use it. The only error
// they may see is that it is closed.
func endsWhileUsed[T interface{ Close() error }](t *testing.T, make func() T, use func(T) error) {
	t.Helper()
	for range 20 {
		thing := make()
		failed := inGoroutines(4, func(number int) error {
			if number == 0 {
				time.Sleep(time.Millisecond)
				return thing.Close()
			}
			for range 100 {
				if err := use(thing); err != nil {
					return err
				}
			}
			return nil
		})
		for _, err := range failed {
			wants(t, err, percale.FailedPrecondition, " is closed")
		}
	}
}

func TestObjectsAreClosedWhileGoroutinesUseThem(t *testing.T) {
	e := engine(t, percale.Options{"threads": 2})
	x := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 32, 32))
	run := func(s *percale.Session, x *percale.Tensor) error {
		_, err := s.Run(background, percale.Feeds{"x": x}, "y")
		return err
	}
	session := powers(t, e, 3)
	endsWhileUsed(t, func() *percale.Session { return powers(t, e, 3) }, func(s *percale.Session) error { return run(s, x) })
	endsWhileUsed(t, func() *percale.Tensor { return good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 32, 32)) },
		func(x *percale.Tensor) error { return run(session, x) })
	endsWhileUsed(t, func() *percale.Event {
		return good[*percale.Event](t)(session.Start(percale.Feeds{"x": x}, []string{"y"}, nil))
	}, func(event *percale.Event) error {
		if err := event.Wait(background); err != nil {
			return err
		}
		_, err := event.Result(0)
		return err
	})
	b := func() *percale.Graph {
		b := good[*percale.Builder](t)(percale.NewBuilder(e))
		b.SetOutputs(b.Input("x", percale.F32, 1))
		return good[*percale.Graph](t)(b.Finish())
	}
	endsWhileUsed(t, b, func(g *percale.Graph) error {
		_, err := g.Bytes(nil)
		return err
	})
}

func TestCallInFourGoroutinesAnswersOneAndRefusesTheOthers(t *testing.T) {
	e := engine(t, percale.Options{"threads": 1})
	session := powers(t, e, 8)
	call := good[*percale.Call](t)(session.Prepare([]percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{64, 64}}}, "y"))
	x := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 64, 64))
	y := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 64, 64))
	if err := call.Bind([]*percale.Tensor{x}, []*percale.Tensor{y}); err != nil {
		t.Fatal(err)
	}
	failed := inGoroutines(4, func(int) error {
		for range 200 {
			if err := call.Run(background); err != nil {
				return err
			}
		}
		return nil
	})
	if len(failed) == 0 {
		t.Error("nobody was refused")
	}
	for _, err := range failed {
		wants(t, err, percale.FailedPrecondition, "the call is used by another goroutine")
	}
	if err := call.Run(background); err != nil {
		t.Error(err)
	}
}

func TestCallIsClosedWhileAGoroutineRunsIt(t *testing.T) {
	const size = 256
	e := engine(t, percale.Options{"threads": 1})
	session := powers(t, e, 8)
	identity := make([]float32, size*size)
	for i := range size {
		identity[i*(size+1)] = 1
	}
	x := good[*percale.Tensor](t)(percale.FromSlice(identity, size, size))
	for range 5 {
		call := good[*percale.Call](t)(session.Prepare([]percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{size, size}}}, "y"))
		y := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, size, size))
		if err := call.Bind([]*percale.Tensor{x}, []*percale.Tensor{y}); err != nil {
			t.Fatal(err)
		}
		// The other goroutine's question may come between two runs.
		inUse := func(err error) bool {
			return err != nil && strings.Contains(err.Error(), "is used by another goroutine")
		}
		ended := make(chan error, 1)
		go func() {
			for {
				if err := call.Run(background); err != nil && !inUse(err) {
					ended <- err
					return
				}
			}
		}()
		// A run is in progress once the call refuses another goroutine.
		for {
			if _, err := call.VariablesVersion(); inUse(err) {
				break
			}
		}
		call.Close()
		select {
		case err := <-ended:
			wants(t, err, percale.FailedPrecondition, "the call is closed")
		case <-time.After(20 * time.Second):
			t.Fatal("the call runs on after Close")
		}
		if got := good[[]float32](t)(percale.Values[float32](y)); !slices.Equal(got, identity) {
			t.Error("the run in progress did not end well")
		}
	}
}

func TestSecondUseOfATrainerIsRefusedAndTheFirstGoesOn(t *testing.T) {
	e := engine(t, percale.Options{"threads": 1})
	trainer, data := good[*percale.Trainer](t)(twoLayers.Compile(e, training)), signs(t, e)
	err := trainer.Fit(background, data, 2, func(p percale.Progress) bool {
		if p.Step == 2 {
			for _, use := range []func(int) error{
				func(int) error { return trainer.Fit(background, signs(t, e), 1, nil) },
				func(int) error { _, err := trainer.Evaluate(signs(t, e)); return err },
				func(int) error { _, err := trainer.Describe(); return err },
				func(int) error { return trainer.Save(t.TempDir()) },
			} {
				failed := inGoroutines(1, use)
				if len(failed) != 1 {
					t.Fatal("it was not refused")
				}
				wants(t, failed[0], percale.FailedPrecondition, "the trainer is used by another")
			}
			failed := inGoroutines(1, func(int) error { _, err := data.Next(); return err })
			wants(t, failed[0], percale.FailedPrecondition, "the data set is used by another thread")
			if _, err := trainer.Describe(); err != nil { // the goroutine of Fit may use it
				t.Error(err)
			}
		}
		return true
	})
	if err != nil || trainer.Steps() != 8 {
		t.Errorf("%v after %d steps", err, trainer.Steps())
	}
}

func TestCancelEndsAFitOfATrainerThatIsClosed(t *testing.T) {
	e := engine(t, percale.Options{"threads": 1})
	trainer, data := good[*percale.Trainer](t)(twoLayers.Compile(e, training)), signs(t, e)
	under, ended := make(chan bool, 1), make(chan error, 1)
	go func() {
		ended <- trainer.Fit(background, data, 1<<40, func(p percale.Progress) bool {
			if p.Step == 1 {
				under <- true
			}
			return true
		})
	}()
	<-under
	trainer.Close()
	trainer.Cancel()
	select {
	case err := <-ended:
		wants(t, err, percale.Cancelled, "")
	case <-time.After(20 * time.Second):
		t.Fatal("the fit goes on after Close and Cancel")
	}
	trainer.Cancel() // the trainer no longer exists
	(*percale.Trainer)(nil).Cancel()
	(*percale.Session)(nil).Cancel()
}

func TestTrainerIsClosedByItsOwnCallbackAndByAnotherGoroutine(t *testing.T) {
	e := engine(t, percale.Options{"threads": 1})
	for _, here := range []bool{true, false} {
		trainer, data := good[*percale.Trainer](t)(twoLayers.Compile(e, training)), signs(t, e)
		steps := 0
		err := trainer.Fit(background, data, 2, func(p percale.Progress) bool {
			if steps++; steps == 3 && here {
				trainer.Close()
			} else if steps == 3 {
				inGoroutines(1, func(int) error { return trainer.Close() })
			}
			return true
		})
		if err != nil || steps != 8 {
			t.Errorf("%v after %d steps", err, steps)
		}
		wants(t, trainer.Publish(), percale.FailedPrecondition, "the trainer is closed")
	}
}

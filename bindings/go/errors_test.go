package percale_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

// good returns a value. An error fails the test.
func good[T any](t testing.TB) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func engine(t testing.TB, options percale.Options) *percale.Engine {
	t.Helper()
	e := good[*percale.Engine](t)(percale.NewEngine(options))
	t.Cleanup(func() { e.Close() })
	return e
}

// powers is a session for y = x * x * ..., which takes seconds for 2500 rows.
func powers(t testing.TB, e *percale.Engine, count int) *percale.Session {
	t.Helper()
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	x := b.Input("x", percale.F32, -1, -1)
	y := x
	for range count {
		y = ops.MatMul(b, y, x)
	}
	b.Rename(y, "y")
	b.SetOutputs(y)
	graph := good[*percale.Graph](t)(b.Finish())
	return good[*percale.Session](t)(percale.NewSession(e, graph, nil, nil))
}

// wants checks the code in both ways that Go offers, and that the message contains all parts.
func wants(t *testing.T, err error, code percale.Code, parts ...string) {
	t.Helper()
	var own *percale.Error
	if !errors.Is(err, code) || !errors.As(err, &own) || own.Code != code {
		t.Fatalf("wanted %v, got %v (%T)", code, err, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("'%v' does not hold '%s'", err, part)
		}
	}
}

func TestWrongShapeNamesNodeAndSizes(t *testing.T) {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	x, w := b.Input("x", percale.F32, 32, 128), b.Input("w", percale.F32, 64, 10)
	y := ops.MatMul(b, x, w, ops.MatMulAttrs{Name: "fc1"})
	if y != percale.None || ops.Relu(b, x) != percale.None {
		t.Error("a builder with an error gives values")
	}
	wants(t, b.Err(), percale.InvalidArgument, "MatMul 'fc1'", "128 and 64")
	_, err := b.Finish()
	wants(t, err, percale.InvalidArgument, "fc1")
}

func TestWrongDTypeLeavesTheSessionUsable(t *testing.T) {
	e := engine(t, nil)
	s := powers(t, e, 1)
	whole := good[*percale.Tensor](t)(percale.FromSlice([]int64{1, 2, 3, 4}, 2, 2))
	_, err := s.Run(context.Background(), percale.Feeds{"x": whole}, "y")
	wants(t, err, percale.InvalidArgument, "i64")
	_, err = percale.Values[float32](whole)
	wants(t, err, percale.InvalidArgument, "the tensor is i64, wanted are elements of f32")
	two := good[*percale.Tensor](t)(percale.FromSlice([]float32{2, 0, 0, 2}, 2, 2))
	out := good[[]*percale.Tensor](t)(s.Run(context.Background(), percale.Feeds{"x": two}, "y"))
	if v := good[[]float32](t)(percale.Values[float32](out[0])); v[0] != 4 {
		t.Errorf("got %v", v)
	}
}

func TestUnknownOpIsNamed(t *testing.T) {
	b := good[*percale.Builder](t)(percale.NewBuilder(engine(t, nil)))
	b.Op("MatMull", nil)
	wants(t, b.Err(), percale.NotFound, "MatMull")
}

func TestMissingFileIsNotFound(t *testing.T) {
	_, err := percale.LoadGraph(engine(t, nil), "/nowhere/model.percale")
	wants(t, err, percale.NotFound, "/nowhere/model.percale")
	wants(t, engine(t, nil).CheckFile("/nowhere/weights.safetensors"), percale.NotFound, "/nowhere/weights.safetensors")
}

func TestContextCancelsARunInsideAKernel(t *testing.T) {
	e := engine(t, nil)
	s := powers(t, e, 8)
	x := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 2500, 2500))
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	began := time.Now()
	_, err := s.Run(ctx, percale.Feeds{"x": x}, "y")
	wants(t, err, percale.Cancelled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v is not context.Canceled", err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = s.Run(ctx, percale.Feeds{"x": x}, "y")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not context.DeadlineExceeded", err)
	}
	wants(t, err, percale.DeadlineExceeded)
	one := good[*percale.Tensor](t)(percale.FromSlice([]float32{1}, 1, 1))
	good[[]*percale.Tensor](t)(s.Run(context.Background(), percale.Feeds{"x": one}, "y"))
}

func TestContextCancelsAPreparedCall(t *testing.T) {
	e := engine(t, nil)
	s := powers(t, e, 8)
	call := good[*percale.Call](t)(s.Prepare([]percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{2500, 2500}}}, "y"))
	x := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 2500, 2500))
	y := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 2500, 2500))
	if err := call.Bind([]*percale.Tensor{x}, []*percale.Tensor{y}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := call.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	// A context that has already ended ends the call before it begins. Another context does not affect
	// it.
	if err := call.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestContextOfACallEndsThatCallAlone(t *testing.T) {
	e := engine(t, nil)
	s := powers(t, e, 8)
	types := []percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{700, 700}}}
	x := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 700, 700))
	calls := [2]*percale.Call{}
	for i := range calls {
		calls[i] = good[*percale.Call](t)(s.Prepare(types, "y"))
		y := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 700, 700))
		if err := calls[i].Bind([]*percale.Tensor{x}, []*percale.Tensor{y}); err != nil {
			t.Fatal(err)
		}
	}
	over := make(chan error)
	go func() { over <- calls[1].Run(context.Background()) }()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	for ctx.Err() == nil {
		if err := calls[0].Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if err := <-over; err != nil {
		t.Errorf("the other call: %v", err)
	}
}

func TestMemoryLimitIsResourceExhausted(t *testing.T) {
	e := engine(t, percale.Options{"memory_limit": 1 << 20})
	_, err := percale.NewTensor(e, percale.F32, 1024, 1024)
	wants(t, err, percale.ResourceExhausted)
	good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 16, 16))
}

func TestUseAfterCloseIsFailedPrecondition(t *testing.T) {
	e := engine(t, nil)
	s := powers(t, e, 1)
	x := good[*percale.Tensor](t)(percale.FromSlice([]float32{1}, 1, 1))
	x.Close()
	x.Close()
	_, err := s.Run(context.Background(), percale.Feeds{"x": x}, "y")
	wants(t, err, percale.FailedPrecondition, "the tensor is closed")
	s.Close()
	_, err = s.Run(context.Background(), nil, "y")
	wants(t, err, percale.FailedPrecondition, "the session is closed")
	_, err = s.Run(context.Background(), percale.Feeds{"x": nil}, "y")
	wants(t, err, percale.FailedPrecondition)
	var none *percale.Graph
	wants(t, none.Save(nil, "x"), percale.InvalidArgument, "nil")
	var trainer *percale.Trainer
	wants(t, trainer.Fit(context.Background(), nil, 1, nil), percale.InvalidArgument)
}

func TestRefusedOptionNamesTheNearest(t *testing.T) {
	_, err := percale.NewEngine(percale.Options{"treads": 2})
	wants(t, err, percale.NotFound, "threads")
	_, err = percale.NewEngine(percale.Options{"threads": []int{2}})
	wants(t, err, percale.InvalidArgument, "threads")
}

func TestSliceMakesTheShapeOrIsRefused(t *testing.T) {
	for _, dims := range [][]int64{{3, 2}, {4, 3}, {9, 0}, {-3, -3}, {1 << 62, 1 << 62}, {}} {
		_, err := percale.FromSlice(make([]float32, 9), dims...)
		wants(t, err, percale.InvalidArgument, "9 elements do not make the shape "+fmt.Sprint(dims))
	}
	_, err := percale.FromSlice([]float32{}, -1, 0)
	wants(t, err, percale.InvalidArgument)
	for _, dims := range [][]int64{nil, {3, 3}, {9, 1}} {
		good[*percale.Tensor](t)(percale.FromSlice(make([]float32, 9), dims...))
	}
	good[*percale.Tensor](t)(percale.FromSlice([]float32{1}, []int64{}...))
}

func TestTextWithNULIsRefused(t *testing.T) {
	_, err := percale.LoadGraph(engine(t, nil), "a\x00b")
	wants(t, err, percale.InvalidArgument, "NUL")
}

func TestWrongWordOfALayerIsNamedWithASimilarOne(t *testing.T) {
	model := percale.Sequential(percale.Dense(1, percale.Words{"activaton": "relu", "input_shape": []int{2}}))
	_, err := model.Compile(engine(t, nil), training)
	wants(t, err, percale.InvalidArgument, "Dense 'dense': no attribute 'activaton', did you mean 'activation'")
}

package percale_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

var background = context.Background()

func TestMain(m *testing.M) {
	code := m.Run()
	// Objects that the garbage collector finds are closed too; no object of the library may remain.
	if code == 0 && percale.LiveStatuses() != 0 {
		println("statuses that were not released:", percale.LiveStatuses())
		code = 1
	}
	os.Exit(code)
}

func TestGraphIsBuiltSavedLoadedAndRun(t *testing.T) {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	w := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	x := b.Input("x", percale.F32, -1, 2)
	y := ops.Gemm(b, x, b.Variable("w", w), percale.None, ops.GemmAttrs{TransB: 1, Name: "y"})
	if dtype, dims := b.Type(y); dtype != percale.F32 || !slices.Equal(dims, []int64{-1, 2}) {
		t.Errorf("y is %v %v", dtype, dims)
	}
	b.SetOutputs(y)
	graph := good[*percale.Graph](t)(b.Finish())
	in0 := good[[]percale.TensorType](t)(graph.InputTypes())[0]
	if in0.Name != "x" || in0.DType != percale.F32 || !slices.Equal(in0.Dims, []int64{-1, 2}) {
		t.Errorf("the input is %v", in0)
	}
	if out := good[[]percale.TensorType](t)(graph.OutputTypes()); len(out) != 1 || out[0].Name != "y" {
		t.Errorf("the outputs are %v", out)
	}
	_, err := graph.ValueType("yy")
	wants(t, err, percale.NotFound, "did you mean 'y'")
	variables := good[*percale.Variables](t)(graph.Variables(e, 0))
	path := filepath.Join(t.TempDir(), "model.percale")
	if err := graph.Save(variables, path); err != nil {
		t.Fatal(err)
	}
	again := good[*percale.Graph](t)(percale.LoadGraph(e, path))
	bytes := good[[]byte](t)(graph.Bytes(variables))
	if file, _ := os.ReadFile(path); !slices.Equal(file, bytes) {
		t.Error("the bytes are not those of the file")
	}
	own := good[*percale.Variables](t)(again.Variables(e, 0))
	if a, b := good[string](t)(own.Digest()), good[string](t)(variables.Digest()); a != b {
		t.Errorf("digests differ: %s, %s", a, b)
	}
	s := good[*percale.Session](t)(percale.NewSession(e, again, own, nil))
	in := good[*percale.Tensor](t)(percale.FromSlice([]float32{10, 1}, 1, 2))
	out := good[[]*percale.Tensor](t)(s.Run(background, percale.Feeds{"x": in}, again.Outputs()...))
	if v := good[[]float32](t)(percale.Values[float32](out[0])); !slices.Equal(v, []float32{12, 34}) {
		t.Errorf("got %v", v)
	}
	types := []percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{1, 2}}}
	if svg := good[string](t)(s.Draw(types, again.Outputs(), "svg", "")); !strings.Contains(svg, "cpu:0") {
		t.Errorf("no device in %s", svg)
	}
	if page := good[string](t)(again.Draw("html", "")); !strings.HasPrefix(page, "<!doctype html>") {
		t.Errorf("no page: %.40s", page)
	}
}

func TestRunTellsWhichVersionOfTheVariablesItRead(t *testing.T) {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	w := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 1}))
	b.SetOutputs(ops.Mul(b, b.Input("x", percale.F32, 2), b.Variable("w", w), ops.MulAttrs{Name: "y"}))
	graph := good[*percale.Graph](t)(b.Finish())
	variables := good[*percale.Variables](t)(graph.Variables(e, 0))
	s := good[*percale.Session](t)(percale.NewSession(e, graph, variables, nil))
	feeds := percale.Feeds{"x": good[*percale.Tensor](t)(percale.FromSlice([]float32{3, 4}))}
	endable, end := context.WithCancel(background)
	for i, ctx := range []context.Context{background, endable} {
		scale := float32(10 * (i + 1))
		if err := variables.Assign("w", good[*percale.Tensor](t)(percale.FromSlice([]float32{scale, scale}))); err != nil {
			t.Fatal(err)
		}
		out, version, err := s.RunVersioned(ctx, feeds, graph.Outputs(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if version != int64(i+2) || version != variables.Version() {
			t.Errorf("the run read version %d, the newest is %d", version, variables.Version())
		}
		if v := good[[]float32](t)(percale.Values[float32](out[0])); v[1] != 4*scale {
			t.Errorf("got %v", v)
		}
	}
	end()
	if _, version, err := s.RunVersioned(endable, feeds, graph.Outputs(), nil); err == nil || version != 0 {
		t.Errorf("got version %d, %v", version, err)
	}
}

func TestOpsWithSeveralOutputs(t *testing.T) {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	x := b.Input("x", percale.F32, 4)
	k := good[*percale.Tensor](t)(percale.FromSlice([]int64{2}))
	values, indices := ops.TopK(b, x, b.Constant("", k))
	parts := ops.Split(b, 2, x, percale.None, ops.SplitAttrs{NumOutputs: percale.Ptr(2)})
	dx := b.Gradients([]percale.Value{ops.Mul(b, x, x)}, []percale.Value{x})
	b.SetOutputs(values, indices, parts[1], dx[0])
	graph := good[*percale.Graph](t)(b.Finish())
	s := good[*percale.Session](t)(percale.NewSession(e, graph, nil, nil))
	in := good[*percale.Tensor](t)(percale.FromSlice([]float32{3, 9, 1, 5}))
	out := good[[]*percale.Tensor](t)(s.Run(background, percale.Feeds{"x": in}, graph.Outputs()...))
	if v := good[[]int64](t)(percale.Values[int64](out[1])); !slices.Equal(v, []int64{1, 3}) {
		t.Errorf("indices %v", v)
	}
	if v := good[[]float32](t)(percale.Values[float32](out[2])); !slices.Equal(v, []float32{1, 5}) {
		t.Errorf("second part %v", v)
	}
	if v := good[[]float32](t)(percale.Values[float32](out[3])); !slices.Equal(v, []float32{6, 18, 2, 10}) {
		t.Errorf("gradient %v", v)
	}
}

// exp is a prepared call that writes exp(in) into out. Both are Go slices.
func exp(t testing.TB, e *percale.Engine, in, out []float32) *percale.Call {
	t.Helper()
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	b.SetOutputs(ops.Exp(b, b.Input("x", percale.F32, -1), ops.ExpAttrs{Name: "y"}))
	graph := good[*percale.Graph](t)(b.Finish())
	s := good[*percale.Session](t)(percale.NewSession(e, graph, nil, nil))
	n := int64(len(in))
	call := good[*percale.Call](t)(s.Prepare([]percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{n}}}, graph.Outputs()...))
	x, y := good[*percale.Tensor](t)(percale.FromSlice(in)), good[*percale.Tensor](t)(percale.FromSlice(out))
	if err := call.Bind([]*percale.Tensor{x}, []*percale.Tensor{y}); err != nil {
		t.Fatal(err)
	}
	x.Close()
	y.Close()
	return call
}

func TestPreparedCallHandsOnWhatARunGives(t *testing.T) {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	b.SetOutputs(ops.Add(b, b.Input("x", percale.F32, 2), b.Input("s", percale.F32, 2), ops.AddAttrs{Name: "y"}))
	graph := good[*percale.Graph](t)(b.Finish())
	s := good[*percale.Session](t)(percale.NewSession(e, graph, nil, nil))
	types := []percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{2}}, {Name: "s", DType: percale.F32, Dims: []int64{2}}}
	call := good[*percale.Call](t)(s.Prepare(types, graph.Outputs()...))
	if err := call.Carry(0, 1); err != nil {
		t.Fatal(err)
	}
	wants(t, call.Carry(1, 1), percale.OutOfRange, "no output 1")
	out := make([]float32, 2)
	x, start := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 2})), good[*percale.Tensor](t)(percale.FromSlice([]float32{10, 20}))
	y := good[*percale.Tensor](t)(percale.FromSlice(out))
	for i, inputs := range [][]*percale.Tensor{{x, start}, {x, nil}, {x, nil}} {
		outputs := []*percale.Tensor{nil}
		if i == 2 {
			outputs[0] = y
		}
		if err := call.Bind(inputs, outputs); err != nil {
			t.Fatal(err)
		}
		if err := call.Run(background); err != nil {
			t.Fatal(err)
		}
	}
	if out[1] != 26 {
		t.Errorf("got %v", out)
	}
}

func TestPreparedCallReadsAndWritesGoSlices(t *testing.T) {
	in, out := []float32{0, 1, 2}, make([]float32, 3)
	call := exp(t, engine(t, nil), in, out)
	for range 3 {
		if err := call.Run(background); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(out[2])-math.Exp(float64(in[2]))) > 1e-5 {
			t.Errorf("exp(%v) = %v", in[2], out[2])
		}
		in[2]--
	}
	if n := testing.AllocsPerRun(100, func() { _ = call.Run(background) }); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
	wants(t, call.Bind(nil, nil), percale.InvalidArgument, "0 inputs and 0 outputs, wanted 1 and 1")
	call.Close()
	wants(t, call.Run(background), percale.FailedPrecondition, "the call is closed")
}

func TestManyGoroutinesRunAndCloseOneSession(t *testing.T) {
	e := engine(t, nil)
	s := powers(t, e, 3)
	var runs, closed atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := 0; ; n++ {
				x, err := percale.FromSlice([]float32{2, 0, 0, 2}, 2, 2)
				if err != nil {
					t.Error(err)
					return
				}
				out, err := s.Run(background, percale.Feeds{"x": x}, "y")
				if err != nil {
					closed.Add(1)
					return
				}
				if v, _ := percale.Values[float32](out[0]); v[3] != 16 {
					t.Errorf("got %v", v)
				}
				x.Close()
				runs.Add(1)
				if i == 0 && n == 50 {
					s.Close()
				}
			}
		}()
	}
	all.Wait()
	if closed.Load() != 8 || runs.Load() < 50 {
		t.Errorf("%d runs, %d saw the close", runs.Load(), closed.Load())
	}
}

func TestWhatIsForgottenIsClosedByTheCollector(t *testing.T) {
	e := engine(t, nil)
	before, _ := e.Memory()
	for range 50 {
		tensor := good[*percale.Tensor](t)(percale.NewTensor(e, percale.F32, 1<<18))
		if tensor.Len() != 1<<18 {
			t.Fatal("a tensor was freed too early")
		}
	}
	for range 100 {
		runtime.GC()
		if used, _ := e.Memory(); used <= before+1<<20 {
			return
		}
		runtime.Gosched()
	}
	used, _ := e.Memory()
	t.Errorf("%d bytes are still held, %d before", used, before)
}

func TestLogComesToGo(t *testing.T) {
	e := engine(t, percale.Options{"log": "debug"})
	told := make(chan string, 100)
	if err := e.SetLog(func(level percale.LogLevel, message string) { told <- level.String() + ": " + message }); err != nil {
		t.Fatal(err)
	}
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	b.SetOutputs(ops.Print(b, b.Input("x", percale.F32, 1), ops.PrintAttrs{Message: "the value"}))
	graph := good[*percale.Graph](t)(b.Finish())
	s := good[*percale.Session](t)(percale.NewSession(e, graph, nil, nil))
	run := func() {
		x := good[*percale.Tensor](t)(percale.FromSlice([]float32{7}))
		good[[]*percale.Tensor](t)(s.Run(background, percale.Feeds{"x": x}, graph.Outputs()...))
	}
	run()
	select {
	case message := <-told:
		if !strings.Contains(message, "the value") || !strings.Contains(message, "7") {
			t.Errorf("told '%s'", message)
		}
	default:
		t.Fatal("nothing was told")
	}
	if err := e.SetLog(nil); err != nil {
		t.Fatal(err)
	}
	for len(told) > 0 {
		<-told
	}
	run()
	if len(told) > 0 {
		t.Error("messages go on after SetLog(nil)")
	}
}

func TestClusterFromJSON(t *testing.T) {
	c := good[*percale.Cluster](t)(percale.ClusterFromJSON(
		`{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}`))
	if job, task := c.Role(); job != "worker" || task != 1 || c.Address("worker", 1) != "b:2" || len(c.Jobs()) != 1 {
		t.Errorf("role %s %d, jobs %v", job, task, c.Jobs())
	}
}

func TestLayersAreThoseOfTheLibrary(t *testing.T) {
	var known []struct {
		Name       string
		Attributes []struct {
			Name     string
			Required bool
		}
	}
	if err := json.Unmarshal([]byte(good[string](t)(engine(t, nil).Describe("layers"))), &known); err != nil {
		t.Fatal(err)
	}
	for _, layer := range []percale.Layer{percale.Dense(1), percale.Conv2D(1, 1), percale.MaxPooling2D(2), percale.Flatten(),
		percale.Dropout(0.5), percale.BatchNormalization(), percale.LayerNormalization(), percale.Activation("relu"),
		percale.Embedding(2, 2), percale.LSTM(1), percale.GRU(1)} {
		found := false
		for _, k := range known {
			if k.Name != layer.Type {
				continue
			}
			found = true
			words := len(layer.Words)
			for _, a := range k.Attributes {
				_, given := layer.Words[a.Name]
				if given {
					words--
				} else if a.Required {
					t.Errorf("%s does not ask for '%s'", k.Name, a.Name)
				}
			}
			if words != 0 {
				t.Errorf("%s says words that the library does not know: %v", k.Name, layer.Words)
			}
		}
		if !found {
			t.Errorf("the library has no layer %s", layer.Type)
		}
	}
}

func TestFactsAreJSON(t *testing.T) {
	e := engine(t, nil)
	for _, what := range []string{"info", "ops", "layers", "passes", "kernels"} {
		if text := good[string](t)(e.Describe(what)); !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
			t.Errorf("%s: %.40s", what, text)
		}
	}
	if len(e.Devices()) == 0 || percale.Version() == "" {
		t.Error("no devices, or no version")
	}
}

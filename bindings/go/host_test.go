package percale_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

// wideGraph returns y = x * w, which is large enough for a loop of several pieces, and its bytes.
func wideGraph(t *testing.T) []byte {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	values := make([]float32, 256*256)
	for i := range values {
		values[i] = float32(i%83)/83 - 0.3
	}
	w := good[*percale.Tensor](t)(percale.FromSlice(values, 256, 256))
	x := b.Input("x", percale.F32, 64, 256)
	b.SetOutputs(ops.Gemm(b, x, b.Variable("w", w), percale.None, ops.GemmAttrs{Name: "y"}))
	graph := good[*percale.Graph](t)(b.Finish())
	return good[[]byte](t)(graph.Bytes(nil))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wideResult runs a graph of wideGraph.
func wideResult(t *testing.T, e *percale.Engine, graph *percale.Graph) ([]float32, error) {
	variables := good[*percale.Variables](t)(graph.Variables(e, 0))
	session := good[*percale.Session](t)(percale.NewSession(e, graph, variables, nil))
	x := make([]float32, 64*256)
	for i := range x {
		x[i] = float32(i % 17)
	}
	out, err := session.Run(t.Context(), percale.Feeds{"x": good[*percale.Tensor](t)(percale.FromSlice(x, 64, 256))}, "y")
	if err != nil {
		return nil, err
	}
	return percale.Values[float32](out[0])
}

func TestGoroutinesOfTheProgramCompute(t *testing.T) {
	file := wideGraph(t)
	own := engine(t, percale.Options{"threads": 4})
	wanted := good[[]float32](t)(wideResult(t, own, good[*percale.Graph](t)(percale.ReadGraph(own, file))))
	var tasks atomic.Int64
	executors := map[string]func(func()) error{
		"goroutines": func(task func()) error { tasks.Add(1); go task(); return nil },
		"at once":    func(task func()) error { task(); return nil },
		"twice":      func(task func()) error { task(); task(); return nil },
	}
	for name, execute := range executors {
		e := good[*percale.Engine](t)(percale.NewEngine(percale.Options{"threads": 4}, percale.OnExecutor(execute)))
		got := good[[]float32](t)(wideResult(t, e, good[*percale.Graph](t)(percale.ReadGraph(e, file))))
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: other numbers", name)
		}
		e.Close()
	}
	if tasks.Load() == 0 {
		t.Error("no task was executed")
	}
}

func TestErrorOfAnExecutorIsThatOfTheRun(t *testing.T) {
	file := wideGraph(t)
	failing := map[string]func(func()) error{
		"full":          func(func()) error { return percale.ResourceExhausted },
		"panic: broken": func(func()) error { panic("broken") },
	}
	for message, execute := range failing {
		e := good[*percale.Engine](t)(percale.NewEngine(percale.Options{"threads": 4}, percale.OnExecutor(execute)))
		_, err := wideResult(t, e, good[*percale.Graph](t)(percale.ReadGraph(e, file)))
		wanted := percale.Aborted
		if message == "full" {
			wanted, message = percale.ResourceExhausted, "RESOURCE_EXHAUSTED"
		}
		if !errors.Is(err, wanted) || !strings.Contains(err.Error(), message) {
			t.Errorf("wanted %v, got %v", wanted, err)
		}
		e.Close()
	}
	if _, err := percale.NewEngine(nil, percale.OnExecutor(nil)); !errors.Is(err, percale.InvalidArgument) {
		t.Error(err)
	}
}

func TestModelsAreReadFromAnArchive(t *testing.T) {
	file := wideGraph(t)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	entry := good[io.Writer](t)(w.Create("models/wide.percale"))
	good[int](t)(entry.Write(file))
	must(t, w.Close())
	archive := good[*zip.Reader](t)(zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len())))
	e := good[*percale.Engine](t)(percale.NewEngine(nil, percale.FromFiles(archive)))
	defer e.Close()
	graph := good[*percale.Graph](t)(percale.LoadGraph(e, "host:models/wide.percale"))
	wanted := good[[]float32](t)(wideResult(t, e, good[*percale.Graph](t)(percale.ReadGraph(e, file))))
	if got := good[[]float32](t)(wideResult(t, e, graph)); !slices.Equal(got, wanted) {
		t.Error("other numbers")
	}
	_, err := percale.LoadGraph(e, "host:models/other.percale")
	if !errors.Is(err, percale.NotFound) || !strings.Contains(err.Error(), "host:models/other.percale: ") {
		t.Error(err)
	}
	if _, err = percale.LoadGraph(e, "host:models"); !errors.Is(err, percale.InvalidArgument) {
		t.Error(err)
	}
	inMemory := good[*percale.Engine](t)(percale.NewEngine(nil, percale.FromFiles(fstest.MapFS{"m": {Data: file}})))
	defer inMemory.Close()
	good[*percale.Graph](t)(percale.LoadGraph(inMemory, "host:m"))
}

func TestModelsLieInMemoryOfTheProgram(t *testing.T) {
	e := engine(t, nil)
	file := wideGraph(t)
	wanted := good[[]float32](t)(wideResult(t, e, good[*percale.Graph](t)(percale.ReadGraph(e, file))))
	graph, _, err := percale.GraphFromMemory(e, file)
	must(t, err)
	if got := good[[]float32](t)(wideResult(t, e, graph)); !slices.Equal(got, wanted) {
		t.Error("other numbers")
	}
	moved := append(make([]byte, 1, len(file)+1), file...)[1:]
	if _, copied, err := percale.GraphFromMemory(e, moved); err != nil || copied != int64(len(file)) {
		t.Error(copied, err)
	}
	if _, _, err = percale.GraphFromMemory(e, file[:len(file)-1]); !errors.Is(err, percale.DataLoss) {
		t.Error(err)
	}
	variables := good[*percale.Variables](t)(graph.Variables(e, 0))
	path := filepath.Join(t.TempDir(), "w.safetensors")
	must(t, variables.Save(path))
	weights := good[[]byte](t)(os.ReadFile(path))
	good[int64](t)(variables.LoadMemory(weights, true))
	if _, err = variables.LoadMemory(nil, true); !errors.Is(err, percale.DataLoss) {
		t.Error(err)
	}
}

func TestMemoryIsGivenBackAndRunsAreCounted(t *testing.T) {
	e := engine(t, nil)
	good[[]float32](t)(wideResult(t, e, good[*percale.Graph](t)(percale.ReadGraph(e, wideGraph(t)))))
	if bytes := e.Trim(); bytes < 0 {
		t.Error(bytes)
	}
	var metrics struct {
		Runs   int64            `json:"runs_total"`
		Failed map[string]int64 `json:"failed_runs_total"`
	}
	must(t, json.Unmarshal([]byte(good[string](t)(e.Metrics())), &metrics))
	if metrics.Runs != 1 || len(metrics.Failed) != 0 {
		t.Error(metrics)
	}
}

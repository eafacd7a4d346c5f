package percale_test

import (
	"path/filepath"
	"testing"

	"percale.alt/go/percale"
)

// cycle loads a model, trains one step, runs it, and closes everything.
func cycle(t *testing.T, path string) {
	t.Helper()
	e := good[*percale.Engine](t)(percale.NewEngine(nil))
	defer e.Close()
	graph := good[*percale.Graph](t)(percale.LoadGraph(e, path))
	defer graph.Close()
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	defer trainer.Close()
	x := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 2}, 2, 1))
	defer x.Close()
	y := good[*percale.Tensor](t)(percale.FromSlice([]int64{0, 1}))
	defer y.Close()
	good[float64](t)(trainer.Step(percale.Feeds{"x": x, "y": y}))
	variables := good[*percale.Variables](t)(graph.Variables(e, 1))
	defer variables.Close()
	s := good[*percale.Session](t)(percale.NewSession(e, graph, variables, nil))
	defer s.Close()
	out := good[[]*percale.Tensor](t)(s.Run(background, percale.Feeds{graph.Inputs()[0]: x}, graph.Outputs()...))
	for _, tensor := range out {
		tensor.Close()
	}
}

func TestCallsLeaveNothingForCToKnow(t *testing.T) {
	e := engine(t, nil)
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	model := good[*percale.Graph](t)(trainer.Model())
	path := filepath.Join(t.TempDir(), "model.percale")
	if err := model.Save(good[*percale.Variables](t)(trainer.Variables()), path); err != nil {
		t.Fatal(err)
	}
	known := percale.KnownToC()
	for range 20 {
		cycle(t, path)
	}
	if now := percale.KnownToC(); now > known {
		t.Errorf("C knows %d Go values, %d before", now, known)
	}
}

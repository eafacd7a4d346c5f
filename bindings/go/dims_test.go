package percale_test

import (
	"slices"
	"testing"

	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

func TestDimOfAGraphIsFreedOrSet(t *testing.T) {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	w := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	b.SetOutputs(ops.MatMul(b, b.Input("x", percale.F32, 2, 2), b.Variable("w", w), ops.MatMulAttrs{Name: "y"}))
	graph := good[*percale.Graph](t)(b.Finish())
	dims := func(g *percale.Graph, name string) []int64 {
		return good[percale.TensorType](t)(g.ValueType(name)).Dims
	}

	free := good[*percale.Graph](t)(graph.WithDims("batch=?"))
	if x, y := dims(free, "x"), dims(free, "y"); !slices.Equal(x, []int64{-1, 2}) || !slices.Equal(y, []int64{-1, 2}) {
		t.Errorf("x is %v, y is %v", x, y)
	}
	s := good[*percale.Session](t)(percale.NewSession(e, free, good[*percale.Variables](t)(free.Variables(e, 0)), nil))
	rows := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 0, 0, 1, 1, 1}, 3, 2))
	out := good[[]*percale.Tensor](t)(s.Run(background, percale.Feeds{"x": rows}, "y"))
	if y := good[[]float32](t)(percale.Values[float32](out[0])); !slices.Equal(y, []float32{1, 2, 3, 4, 4, 6}) {
		t.Errorf("y is %v", y)
	}

	if y := dims(good[*percale.Graph](t)(graph.WithDims("x:0=5")), "y"); !slices.Equal(y, []int64{5, 2}) {
		t.Errorf("y is %v", y)
	}
	if x := dims(graph, "x"); !slices.Equal(x, []int64{2, 2}) {
		t.Errorf("the graph itself has x of %v", x)
	}
	_, err := graph.WithDims("batc=?")
	wants(t, err, percale.NotFound, "did you mean 'batch'")
	_, err = graph.WithDims("x:1=3")
	wants(t, err, percale.InvalidArgument, "'y'")
}

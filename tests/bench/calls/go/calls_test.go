package calls_test

import (
	"context"
	"testing"

	"percale.alt/go/calls"
	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

func BenchmarkC(b *testing.B) {
	c := calls.Open()
	defer c.Close()
	if !c.Run(1000) {
		b.Fatal("the call in C fails")
	}
	b.ResetTimer()
	c.Run(b.N)
}

func BenchmarkGo(b *testing.B) {
	call, x, y := prepared(b)
	defer call.Close()
	ctx := context.Background()
	for range 1000 {
		if err := call.Run(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if err := call.Run(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	if y[0] != x[0]+x[0] {
		b.Fatalf("%v of %v", y[0], x[0])
	}
}

// prepared returns the call of calls.c made in Go, and the memory that it reads and writes.
func prepared(b *testing.B) (*percale.Call, []float32, []float32) {
	b.Helper()
	good := func(err error) {
		if err != nil {
			b.Helper()
			b.Fatal(err)
		}
	}
	engine, err := percale.NewEngine(percale.Options{"threads": 1})
	good(err)
	defer engine.Close()
	builder, err := percale.NewBuilder(engine)
	good(err)
	defer builder.Close()
	in := builder.Input("x", percale.F32, 1)
	out := ops.Add(builder, in, in)
	builder.Rename(out, "y")
	builder.SetOutputs(out)
	graph, err := builder.Finish()
	good(err)
	defer graph.Close()
	session, err := percale.NewSession(engine, graph, nil, nil)
	good(err)
	defer session.Close()
	call, err := session.Prepare([]percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{1}}}, "y")
	good(err)
	x, y := []float32{1.5}, []float32{0}
	from, err := percale.FromSlice(x, 1)
	good(err)
	defer from.Close()
	to, err := percale.FromSlice(y, 1)
	good(err)
	defer to.Close()
	good(call.Bind([]*percale.Tensor{from}, []*percale.Tensor{to}))
	return call, x, y
}

// Trains through an op that a plug-in written in Rust adds: sample:Bump, y = exp(-gamma x²).
//
//	custom_op PLUGIN.so
//
// Compares the gradients of the plug-in's op with the closed form, then learns gamma from values
// made with gamma = 2. An error of the plug-in is returned by the builder.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"

	"percale.alt/go/percale"
)

const (
	count = 40000 // large enough for several pieces of work in the kernel
	start = 0.5
	steps = 600
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: custom_op PLUGIN.so")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(plugin string) error {
	engine, err := percale.NewEngine(percale.Options{"plugin_path": plugin, "threads": 2})
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := refused(engine); err != nil {
		return err
	}

	b, err := percale.NewBuilder(engine)
	if err != nil {
		return err
	}
	defer b.Close()
	first, err := percale.FromSlice([]float32{start})
	if err != nil {
		return err
	}
	x, target := b.Input("x", percale.F32, count), b.Input("target", percale.F32, count)
	gamma := b.Variable("gamma", first)
	y := b.Op("sample:Bump", []percale.Value{x, gamma})
	// Gradients of the sum of y.
	gradients := b.Gradients([]percale.Value{y}, []percale.Value{x, gamma})
	difference := b.Op("Sub", []percale.Value{y, target})
	square := b.Op("Mul", []percale.Value{difference, difference})
	loss := b.Op("ReduceMean", []percale.Value{square}, percale.Attr{Name: "keepdims", Value: 0})
	step := b.Minimize(loss, `{"name": "adam", "learning_rate": 0.05}`)
	for i, value := range append(gradients, loss) {
		b.Rename(value, []string{"dx", "dgamma", "loss"}[i])
	}
	b.SetOutputs(append(gradients, loss)...)
	graph, err := b.Finish()
	if err != nil {
		return err
	}
	defer graph.Close()
	variables, err := graph.Variables(engine, 0)
	if err != nil {
		return err
	}
	defer variables.Close()
	session, err := percale.NewSession(engine, graph, variables, nil)
	if err != nil {
		return err
	}
	defer session.Close()

	xs, targets := make([]float32, count), make([]float32, count)
	for i := range xs {
		xs[i] = float32(i)/count*4 - 2
		targets[i] = float32(math.Exp(-2 * float64(xs[i]) * float64(xs[i])))
	}
	in, err := percale.FromSlice(xs)
	if err != nil {
		return err
	}
	defer in.Close()
	wanted, err := percale.FromSlice(targets)
	if err != nil {
		return err
	}
	defer wanted.Close()

	out, err := session.Run(context.Background(), percale.Feeds{"x": in}, "dx", "dgamma")
	if err != nil {
		return err
	}
	if err := compare(xs, out[0], out[1]); err != nil {
		return err
	}
	for range steps {
		feeds := percale.Feeds{"x": in, "target": wanted}
		if _, err := session.RunTargets(context.Background(), feeds, nil, []string{step}); err != nil {
			return err
		}
	}
	learnt, err := variables.Value("gamma")
	if err != nil {
		return err
	}
	defer learnt.Close()
	values, err := percale.Values[float32](learnt)
	if err != nil {
		return err
	}
	fmt.Printf("gamma %.4f, wanted 2\n", values[0])
	return nil
}

// compare prints the difference of the gradients from the closed form.
func compare(xs []float32, dx, dgamma *percale.Tensor) error {
	defer dx.Close()
	defer dgamma.Close()
	slopes, err := percale.Values[float32](dx)
	if err != nil {
		return err
	}
	sum, err := percale.Values[float32](dgamma)
	if err != nil {
		return err
	}
	worst, total := 0.0, 0.0
	for i, v := range xs {
		x := float64(v)
		y := math.Exp(-start * x * x)
		worst = math.Max(worst, math.Abs(float64(slopes[i])+2*start*x*y))
		total -= x * x * y
	}
	fmt.Printf("dx off by %.1e at most, dgamma by %.1e of itself\n", worst, math.Abs(float64(sum[0])/total-1))
	return nil
}

// refused passes a gamma of an invalid shape to the op.
func refused(engine *percale.Engine) error {
	b, err := percale.NewBuilder(engine)
	if err != nil {
		return err
	}
	defer b.Close()
	b.Op("sample:Bump", []percale.Value{b.Input("x", percale.F32, count), b.Input("gamma", percale.F32, 3)})
	if !errors.Is(b.Err(), percale.InvalidArgument) {
		return fmt.Errorf("three numbers for gamma gave %v", b.Err())
	}
	fmt.Println("refused:", b.Err())
	return nil
}

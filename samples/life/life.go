// The life of a model: train it, stop and resume, export it to ONNX, serve the file, fine-tune the
// file, and run an op of a plug-in.
//
//	cd samples/go && go run ../life/life.go ./libpercale_square.so
//
// Writes checkpoints/ and life.onnx into the current folder.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"

	"percale.alt/go/percale"
)

const (
	epochs     = 20
	tuneEpochs = 10
	stop       = 300
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: life PLUGIN.so")
	}
	engine := must(percale.NewEngine(nil))
	defer engine.Close()
	trainer := newTrainer(engine)
	first, last := fit(trainer, points(engine, 1, 0), epochs, 0)
	fmt.Printf("trained: loss %.4f -> %.4f\n", first, last)
	check(last < 0.01, "the loss does not fall below 0.01")
	variables := must(trainer.Variables())
	resume(engine, must(variables.Digest()))
	// --8<-- [start:export]
	model := must(trainer.Model()) // from "x" to the predictions
	ok(model.Export(engine, variables, "onnx", nil, "life.onnx"))
	// --8<-- [end:export]
	serve(engine)
	tune(engine)
	square(os.Args[1])
}

func ok(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	ok(err)
	return value
}

func check(holds bool, what string) {
	if !holds {
		log.Fatal("failed: ", what)
	}
}

// points are points (a, b) of a square, labelled with factor * ab + offset.
func points(engine *percale.Engine, factor, offset float32) *percale.Dataset {
	var x, y []float32
	for row := range 32 * 32 {
		a, b := float32(row%32)/16-1, float32(row/32)/16-1
		x, y = append(x, a, b), append(y, factor*a*b+offset)
	}
	columns := percale.Feeds{"x": must(percale.FromSlice(x, 1024, 2)), "y": must(percale.FromSlice(y, 1024, 1))}
	return must(must(percale.DatasetFromTensors(engine, columns)).Batch(32, percale.Shuffled(1)))
}

func newTrainer(engine *percale.Engine) *percale.Trainer {
	model := percale.Sequential(
		percale.Dense(16, percale.Words{"name": "hidden", "activation": "tanh", "input_shape": []int{2}}),
		percale.Dense(1, percale.Words{"name": "out"}))
	return must(model.Compile(engine, percale.Training{
		Optimizer: percale.Words{"name": "adam", "learning_rate": 0.02},
		Loss:      "mse",
		Schedule:  []any{percale.Words{"name": "warm_up", "steps": 64}, percale.Words{"name": "cosine", "decay_steps": 576}},
		Seed:      1,
	}))
}

// fit trains until the epochs are done, or until the step stop. It returns the loss of the first
// step and the mean loss of the last epoch.
func fit(trainer *percale.Trainer, data *percale.Dataset, epochs, stop int64) (first, last float64) {
	ok(trainer.Fit(context.Background(), data, epochs, func(p percale.Progress) bool {
		if p.Step == 1 {
			first = p.Loss
		}
		last = p.EpochLoss
		return p.Step != stop // false ends the training
	}))
	return first, last
}

// resume checks that a training that stops and is resumed gives the weights of one that was not
// interrupted.
func resume(engine *percale.Engine, digest string) {
	// --8<-- [start:resume]
	first := newTrainer(engine)
	fit(first, points(engine, 1, 0), epochs, stop) // ends after step 300 of 640
	ok(first.Save("checkpoints"))

	second := newTrainer(engine) // perhaps in another process, after a crash
	ok(second.Restore("checkpoints"))
	fit(second, points(engine, 1, 0), epochs, 0)
	// --8<-- [end:resume]
	check(first.Steps() == stop, "the first trainer does not stop")
	check(must(must(second.Variables()).Digest()) == digest, "the digests differ")
	fmt.Println("resumed: same digest")
}

func serve(engine *percale.Engine) {
	graph := must(percale.ImportGraph(engine, "onnx", "life.onnx"))
	session := must(percale.NewSession(engine, graph, must(graph.Variables(engine, 0)), nil))
	count, worst := 0, 0.0
	for _, request := range [][]float32{{0.3, -0.7}, {0.5, 0.5, -0.6, -0.2}, {0.75, -0.75, 0.1, 0.9, -0.25, 0.75}} {
		x := must(percale.FromSlice(request, int64(len(request)/2), 2))
		results := must(session.Run(context.Background(), percale.Feeds{"x": x}, graph.Outputs()...))
		for i, answer := range must(percale.Values[float32](results[0])) {
			worst = max(worst, math.Abs(float64(answer-request[2*i]*request[2*i+1])))
			count++
		}
	}
	fmt.Printf("served: %d answers, at most %.4f off\n", count, worst)
	check(worst < 0.15, "the answers are not a * b")
}

// tune trains the model of the file. The layer "hidden" keeps its values.
func tune(engine *percale.Engine) {
	// --8<-- [start:tune]
	whole := percale.Sequential() // no new layers
	trainer := must(whole.Compile(engine, percale.Training{
		Optimizer: percale.Words{"name": "adam", "learning_rate": 0.02},
		Loss:      "mse",
		ModelFile: "life.onnx",
		More:      percale.Words{"freeze": "hidden/*"},
	}))
	first, last := fit(trainer, points(engine, -2, 1), tuneEpochs, 0)
	// --8<-- [end:tune]
	fmt.Printf("tuned: loss %.4f -> %.4f\n", first, last)
	check(last < first/10, "the loss does not fall to a tenth")
}

func square(plugin string) {
	// --8<-- [start:plugin]
	engine := must(percale.NewEngine(percale.Options{"plugin_path": plugin}))
	b := must(percale.NewBuilder(engine))
	x := b.Input("x", percale.F32, 3)
	y := b.Op("sample:Square", []percale.Value{x})
	b.SetOutputs(y)
	graph := must(b.Finish())
	session := must(percale.NewSession(engine, graph, nil, nil))
	numbers := must(percale.FromSlice([]float32{1, -2, 3}))
	results := must(session.Run(context.Background(), percale.Feeds{"x": numbers}, graph.Outputs()...))
	// --8<-- [end:plugin]
	found := must(percale.Values[float32](results[0]))
	fmt.Printf("plug-in: 1, -2, 3 squared are %g, %g, %g\n", found[0], found[1], found[2])
	check(slices.Equal(found, []float32{1, 4, 9}), "the squares are wrong")
}

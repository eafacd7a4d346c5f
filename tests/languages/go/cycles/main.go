// Command cycles: see ../../README.md. Usage: cycles MODEL
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"runtime/debug"

	"percale.alt/go/percale"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func numbers(step, modulus int, dims ...int64) *percale.Tensor {
	count := 1
	for _, d := range dims {
		count *= int(d)
	}
	out := make([]float32, count)
	for i := range out {
		out[i] = float32(i*step%modulus) / 64
	}
	return must(percale.FromSlice(out, dims...))
}

func live(path string) (loss float64, y float32) {
	engine := must(percale.NewEngine(percale.Options{"threads": 2}))
	defer engine.Close()
	graph := must(percale.LoadGraph(engine, path))
	defer graph.Close()
	variables := must(graph.Variables(engine, 1))
	defer variables.Close()
	trainer := must(percale.NewTrainer(engine, graph, variables, percale.Options{"loss": "loss", "optimizer": "adam"}))
	defer trainer.Close()
	x, t := numbers(37, 101, 16, 8, 8, 1), numbers(11, 13, 16, 3)
	defer x.Close()
	defer t.Close()
	loss = must(trainer.Step(percale.Feeds{"x": x, "t": t}))
	session := must(percale.NewSession(engine, graph, variables, nil))
	defer session.Close()
	out := must(session.Run(context.Background(), percale.Feeds{"x": x}, "y"))
	defer out[0].Close()
	return loss, must(percale.Values[float32](out[0]))[0]
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		os.Exit(2)
	}
	var count int
	for {
		if _, err := fmt.Scan(&count); err != nil {
			return
		}
		var loss float64
		var y float32
		for range count {
			loss, y = live(os.Args[1])
		}
		debug.FreeOSMemory()
		fmt.Printf("%016x %08x\n", math.Float64bits(loss), math.Float32bits(y))
	}
}

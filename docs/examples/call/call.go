package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"percale.alt/go/percale"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	graph, err := percale.LoadGraph(engine, "digits.percale")
	if err != nil {
		return err
	}
	variables, err := graph.Variables(engine, 0)
	if err != nil {
		return err
	}
	session, err := percale.NewSession(engine, graph, variables, nil)
	if err != nil {
		return err
	}

	// --8<-- [start:call]
	image := percale.TensorType{Name: graph.Inputs()[0], DType: percale.F32, Dims: []int64{1, 28, 28}}
	call, err := session.Prepare([]percale.TensorType{image}, graph.Outputs()[0]) // one per goroutine
	if err != nil {
		return err
	}
	pixels, scores := make([]float32, 28*28), make([]float32, 10)
	x, err := percale.FromSlice(pixels, 1, 28, 28)
	if err != nil {
		return err
	}
	y, err := percale.FromSlice(scores, 1, 10)
	if err != nil {
		return err
	}
	if err := call.Bind([]*percale.Tensor{x}, []*percale.Tensor{y}); err != nil {
		return err
	}

	for request := range 3 {
		pixels[request] = 1 // fill the input in place
		limited, done := context.WithTimeout(ctx, 50*time.Millisecond)
		err := call.Run(limited) // context.DeadlineExceeded when the time is over
		done()
		if err != nil {
			return err
		}
		fmt.Printf("request %d: first score %.4f\n", request, scores[0])
	}
	// --8<-- [end:call]
	return nil
}

package main

import (
	"context"
	"fmt"
	"log"

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
	graph, err := percale.ImportGraph(engine, "onnx", "digits.onnx")
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

	x, err := percale.FromSlice(make([]float32, 2*28*28), 2, 28, 28) // a batch of two images, no copy
	if err != nil {
		return err
	}
	input, output := graph.Inputs()[0], graph.Outputs()[0]
	results, err := session.Run(ctx, percale.Feeds{input: x}, output)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d x %d scores\n", output, results[0].Dims()[0], results[0].Dims()[1])
	return nil
}

package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"percale.alt/go/percale"
)

func main() {
	if err := predict(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func predict(ctx context.Context) error {
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	graph, err := percale.LoadGraph(engine, "digits.percale")
	if err != nil {
		return err
	}
	variables, err := graph.Variables(engine, 0) // the values of the file
	if err != nil {
		return err
	}
	session, err := percale.NewSession(engine, graph, variables, nil)
	if err != nil {
		return err
	}

	digits, err := percale.DatasetFromFiles(engine, percale.FileOptions{Scale: 1.0 / 255},
		percale.Column{Name: "x", Path: "t10k-images-idx3-ubyte"},
		percale.Column{Name: "y", Path: "t10k-labels-idx1-ubyte"})
	if err != nil {
		return err
	}
	if digits, err = digits.Batch(1); err != nil {
		return err
	}
	row, err := digits.Next()
	if err != nil {
		return err
	}

	outputs, err := session.Run(ctx, percale.Feeds{graph.Inputs()[0]: row[0]}, graph.Outputs()[0])
	if err != nil {
		return err
	}
	scores, err := percale.Values[float32](outputs[0]) // [1, 10]
	if err != nil {
		return err
	}
	label, err := percale.Values[int64](row[1])
	if err != nil {
		return err
	}
	fmt.Printf("the label is %d, the model says %d\n", label[0], slices.Index(scores, slices.Max(scores)))
	return nil
}

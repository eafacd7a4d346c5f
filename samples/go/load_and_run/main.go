// Loads a model and runs it once.
//
//	load_and_run MODEL.percale [INPUT.npy]
//
// Without an input file, the input is one row of zeros. Prints the type, shape and first elements
// of each output.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"percale.alt/go/percale"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: load_and_run MODEL.percale [INPUT.npy]")
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(model string, inputs []string) error {
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	graph, err := percale.LoadGraph(engine, model)
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
	name := graph.Inputs()[0]
	input, err := load(engine, graph, name, inputs)
	if err != nil {
		return err
	}
	outputs, err := session.Run(context.Background(), percale.Feeds{name: input}, graph.Outputs()...)
	if err != nil {
		return err
	}
	for i, output := range outputs {
		fmt.Printf("%s %v %v", graph.Outputs()[i], output.DType(), output.Dims())
		if values, err := percale.Values[float32](output); err == nil {
			fmt.Printf(" %.4f", values[:min(len(values), 10)])
		}
		fmt.Println()
	}
	return nil
}

// load reads the input, or makes zeros of its type.
func load(engine *percale.Engine, graph *percale.Graph, name string, files []string) (*percale.Tensor, error) {
	if len(files) > 0 {
		return percale.LoadTensor(engine, files[0])
	}
	input, err := graph.ValueType(name)
	if err != nil {
		return nil, err
	}
	for i := range input.Dims {
		input.Dims[i] = max(input.Dims[i], 1)
	}
	return percale.NewTensor(engine, input.DType, input.Dims...)
}

package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"percale.alt/go/percale"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	spec, err := os.ReadFile("samples/mnist/lenet.json")
	if err != nil {
		return err
	}
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	trainer, err := percale.TrainerFromSpec(engine, spec, percale.SpecFolders{}, nil)
	if err != nil {
		return err
	}
	defer trainer.Close()
	if err := trainer.Fit(context.Background(), nil, 1, nil); err != nil {
		return err
	}
	result, err := trainer.Evaluate(nil)
	fmt.Println(result)
	return err
}

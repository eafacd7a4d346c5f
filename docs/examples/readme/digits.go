package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"percale.alt/go/percale"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	spec := must(os.ReadFile("samples/mnist/lenet.json"))
	engine := must(percale.NewEngine(nil))
	defer engine.Close()
	trainer := must(percale.TrainerFromSpec(engine, spec, percale.SpecFolders{}, nil))
	defer trainer.Close()
	if err := trainer.Fit(context.Background(), nil, 1, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(must(trainer.Evaluate(nil)))
}

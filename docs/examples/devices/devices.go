package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"percale.alt/go/percale"
)

// --8<-- [start:devices]
// train trains a job on some devices and returns the digest of its weights.
func train(ctx context.Context, spec []byte, devices string) (string, error) {
	// "cpu=2x1" makes two devices with a thread each.
	engine, err := percale.NewEngine(percale.Options{"devices": devices})
	if err != nil {
		return "", err
	}
	defer engine.Close()
	trainer, err := percale.TrainerFromSpec(engine, spec, percale.SpecFolders{},
		percale.Options{"shards": 4}) // each batch is cut into four parts
	if err != nil {
		return "", err
	}
	defer trainer.Close()
	if err := trainer.Fit(ctx, nil, 1, nil); err != nil {
		return "", err
	}
	variables, err := trainer.Variables()
	if err != nil {
		return "", err
	}
	return variables.Digest()
}

// --8<-- [end:devices]

func main() {
	spec, err := os.ReadFile("digits.json")
	if err != nil {
		log.Fatal(err)
	}
	one, err := train(context.Background(), spec, "cpu:0")
	if err != nil {
		log.Fatal(err)
	}
	two, err := train(context.Background(), spec, "cpu=2x1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the same bits:", one == two)
}

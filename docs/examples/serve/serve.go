package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"percale.alt/go/percale"
)

func main() {
	if err := serve(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context) error {
	spec, err := os.ReadFile("digits.json")
	if err != nil {
		return err
	}
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()

	// --8<-- [start:serve]
	trainer, err := percale.TrainerFromSpec(engine, spec, percale.SpecFolders{}, percale.Options{"publish": "step"})
	if err != nil {
		return err
	}
	defer trainer.Close()
	model, err := trainer.Model() // the inference graph
	if err != nil {
		return err
	}
	variables, err := trainer.Variables() // the table that the trainer publishes to
	if err != nil {
		return err
	}
	session, err := percale.NewSession(engine, model, variables, nil)
	if err != nil {
		return err
	}

	trained := make(chan error, 1)
	go func() { trained <- trainer.Fit(ctx, nil, 0, nil) }()
	image, err := percale.NewTensor(engine, percale.F32, 1, 28, 28)
	if err != nil {
		return err
	}
	for range 100 { // requests
		if _, err := session.Run(ctx, percale.Feeds{model.Inputs()[0]: image}, model.Outputs()[0]); err != nil {
			return err
		}
	}
	if err := <-trained; err != nil {
		return err
	}
	run, err := session.Start(percale.Feeds{model.Inputs()[0]: image}, model.Outputs(), nil)
	if err != nil {
		return err
	}
	if err := run.Wait(ctx); err != nil {
		return err
	}
	version, err := run.VariablesVersion()
	fmt.Println("answered by version", version)
	return err
	// --8<-- [end:serve]
}

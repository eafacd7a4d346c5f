package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"percale.alt/go/percale"
)

func main() {
	if err := train(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func train(ctx context.Context) error {
	spec, err := os.ReadFile("digits.json")
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
	// 0: as many epochs as the job says. The training ends with its context.
	err = trainer.Fit(ctx, nil, 0, func(p percale.Progress) bool {
		if p.EpochEnded {
			fmt.Printf("epoch %d/%d  loss %.4f\n", p.Epoch, p.Epochs, p.EpochLoss)
		}
		return true // false ends the training after this step
	})
	if err != nil {
		return err
	}
	metrics, err := trainer.Evaluate(nil)
	if err != nil {
		return err
	}
	fmt.Println("test", metrics)

	model, err := trainer.Model()
	if err != nil {
		return err
	}
	variables, err := trainer.Variables()
	if err != nil {
		return err
	}
	return model.Save(variables, "digits.percale")
}

// Trains a SPEC on two devices of one process, with a bar.
//
//	mnist SPEC.json OUT.percale [EPOCHS]
//
// The data is looked up where PERCALE_DATA says, in the cache, and beside the SPEC. The same weights come of any number of
// devices. An interrupt ends the training after the step under way.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"percale.org/go/percale"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: mnist SPEC.json OUT.percale [EPOCHS]")
	}
	epochs := int64(0)
	if len(os.Args) > 3 {
		var err error
		if epochs, err = strconv.ParseInt(os.Args[3], 10, 64); err != nil {
			log.Fatal(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := train(ctx, os.Args[1], os.Args[2], epochs); err != nil {
		log.Fatal(err)
	}
}

func train(ctx context.Context, path, out string, epochs int64) error {
	spec, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	engine, err := percale.NewEngine(percale.Options{"devices": "cpu=2x1"})
	if err != nil {
		return err
	}
	defer engine.Close()
	trainer, err := percale.TrainerFromSpec(engine, spec, percale.SpecFolders{Spec: filepath.Dir(path)},
		percale.Options{"devices": "all"})
	if err != nil {
		return err
	}
	defer trainer.Close()
	if err := trainer.Fit(ctx, nil, epochs, draw); err != nil {
		return err
	}
	metrics, err := trainer.Evaluate(nil)
	if err != nil {
		return err
	}
	fmt.Printf("test loss %.4f, accuracy %.4f\n", metrics["loss"], metrics["accuracy"])
	variables, err := trainer.Variables()
	if err != nil {
		return err
	}
	model, err := trainer.Model()
	if err != nil {
		return err
	}
	if err := model.Save(variables, out); err != nil {
		return err
	}
	digest, err := variables.Digest()
	fmt.Println(out, digest)
	return err
}

// draw writes one line over and over, which stays at the end of an epoch.
func draw(p percale.Progress) bool {
	if p.StepInEpoch%20 != 0 && !p.EpochEnded {
		return true
	}
	const width = 30
	done := int(width * p.StepInEpoch / max(p.StepsInEpoch, 1))
	fmt.Fprintf(os.Stderr, "\repoch %d/%d [%-*s] loss %.4f  %.0f rows/s  %.0f s left  ", p.Epoch, p.Epochs, width,
		strings.Repeat("=", done), p.Loss, p.RowsPerSecond, p.ETASeconds)
	if p.EpochEnded {
		fmt.Fprintln(os.Stderr, p.Metrics)
	}
	return true
}

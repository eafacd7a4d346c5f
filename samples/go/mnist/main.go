// Trains a SPEC on two devices of one process, with a progress bar.
//
//	mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]
//
// The data is looked up in PERCALE_DATA, in the cache, and next to the SPEC. The weights do not
// depend on the number of devices. An interrupt ends the training after the current step. FILE gets
// a line per step: its number and the 64 bits of its loss.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"percale.alt/go/percale"
)

func main() {
	log.SetFlags(0)
	args, losses := os.Args[1:], ""
	if n := len(args); n > 3 && args[n-2] == "--losses" {
		args, losses = args[:n-2], args[n-1]
	}
	if len(args) < 2 || len(args) > 3 {
		log.Fatal("usage: mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]")
	}
	epochs := int64(0)
	if len(args) > 2 {
		var err error
		if epochs, err = strconv.ParseInt(args[2], 10, 64); err != nil {
			log.Fatal(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := train(ctx, args[0], args[1], epochs, losses); err != nil {
		log.Fatal(err)
	}
}

func train(ctx context.Context, path, out string, epochs int64, losses string) error {
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
	trace := bufio.NewWriter(io.Discard)
	if losses != "" {
		file, err := os.Create(losses)
		if err != nil {
			return err
		}
		defer file.Close()
		trace.Reset(file)
	}
	err = trainer.Fit(ctx, nil, epochs, func(p percale.Progress) bool {
		fmt.Fprintf(trace, "%d %016x\n", p.Step, math.Float64bits(p.Loss))
		return draw(p)
	})
	if err != nil {
		return err
	}
	if err := trace.Flush(); err != nil {
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

// draw writes a progress line that is overwritten until the epoch ends.
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

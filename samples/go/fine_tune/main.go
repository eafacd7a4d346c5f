// Takes a model that classifies digits, keeps its body, and trains a new head that tells whether a
// digit is odd.
//
//	fine_tune MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS
//
// MODEL was written by mnist; the files are MNIST's. The body is frozen: its variables have the
// same bits after the training.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

// --8<-- [start:tune]

// spec builds a head on the model's value "dense" and trains only the head.
const spec = `{"model": %q, "outputs": ["dense"], "freeze": ["conv2d*", "dense/*"],
	"head": [{"layer": "Dense", "name": "parity", "units": 2}],
	"loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"], "optimizer": "adam"}`

// --8<-- [end:tune]

func main() {
	log.SetFlags(0)
	if len(os.Args) != 6 {
		log.Fatal("usage: fine_tune MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS")
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(model string, files []string) error {
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	data, err := parity(engine, files[0], files[1], percale.Shuffled(1))
	if err != nil {
		return err
	}
	test, err := parity(engine, files[2], files[3])
	if err != nil {
		return err
	}
	trainer, err := percale.TrainerFromSpec(engine, fmt.Appendf(nil, spec, model), percale.SpecFolders{}, nil)
	if err != nil {
		return err
	}
	defer trainer.Close()
	before, err := body(trainer)
	if err != nil {
		return err
	}
	err = trainer.Fit(context.Background(), data, 1, func(p percale.Progress) bool {
		if p.Step%100 == 0 {
			fmt.Printf("step %4d  loss %.4f\n", p.Step, p.Loss)
		}
		return true
	})
	if err != nil {
		return err
	}
	after, err := body(trainer)
	if err != nil {
		return err
	}
	if slices.Equal(before, after) {
		fmt.Println("the body kept its bits")
	} else {
		fmt.Println("the body has changed")
	}
	metrics, err := trainer.Evaluate(test)
	fmt.Println("even or odd:", metrics)
	return err
}

// body returns a variable of the frozen part.
func body(trainer *percale.Trainer) ([]float32, error) {
	variables, err := trainer.Variables()
	if err != nil {
		return nil, err
	}
	kernel, err := variables.Value("dense/kernel")
	if err != nil {
		return nil, err
	}
	return percale.Values[float32](kernel)
}

// parity returns images with the label 0 or 1 instead of the digit. Rows pass through a small graph
// whose inputs are the columns of the files and whose outputs are the columns of the new set.
func parity(engine *percale.Engine, images, labels string, options ...percale.BatchOption) (*percale.Dataset, error) {
	digits, err := percale.DatasetFromFiles(engine, percale.FileOptions{Scale: 1.0 / 255}, percale.Column{Name: "pixels", Path: images},
		percale.Column{Name: "digit", Path: labels})
	if err != nil {
		return nil, err
	}
	types, err := digits.ColumnTypes()
	if err != nil {
		return nil, err
	}
	b, err := percale.NewBuilder(engine)
	if err != nil {
		return nil, err
	}
	var columns []percale.Value
	for _, column := range types {
		rows := append([]int64{-1}, column.Dims...) // the number of rows is unknown
		columns = append(columns, b.Input(column.Name, column.DType, rows...))
	}
	shape, err := percale.FromSlice([]int64{-1, 28, 28, 1})
	if err != nil {
		return nil, err
	}
	two, err := percale.FromSlice([]int64{2}, 1)
	if err != nil {
		return nil, err
	}
	x := ops.Reshape(b, columns[0], b.Constant("", shape), ops.ReshapeAttrs{Name: "x"})
	number := ops.Cast(b, columns[1], ops.CastAttrs{To: percale.Ptr(int(percale.I64))})
	y := ops.Mod(b, number, b.Constant("", two), ops.ModAttrs{Name: "y"})
	b.SetOutputs(x, y)
	graph, err := b.Finish()
	if err != nil {
		return nil, err
	}
	out, err := digits.Map(graph)
	if err != nil {
		return nil, err
	}
	return out.Batch(64, options...)
}

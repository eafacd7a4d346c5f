// Keras' example of a mirrored strategy: two Dense layers, a data set shared by all devices, ten
// epochs.
package main

import (
	"context"
	"fmt"
	"log"

	"percale.alt/go/percale"
)

func main() {
	log.SetFlags(0)
	engine, err := percale.NewEngine(percale.Options{"devices": "cpu=2x1"})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	strategy := percale.MirroredStrategy{}
	model := percale.Sequential(
		percale.Dense(10, percale.Words{"activation": "relu", "input_shape": []int{1}}),
		percale.Dense(10, percale.Words{"activation": "softmax"}),
	)
	trainer, err := model.Compile(engine, percale.Training{
		Optimizer: "adam",
		Loss:      "sparse_categorical_crossentropy",
		Metrics:   []string{"accuracy"},
		Strategy:  &strategy,
		More:      percale.Words{"shards": 2}, // of each batch, one per device
	})
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Close()

	// The data of the original example has no labels; the error says so.
	unlabelled, err := percale.DatasetRange(engine, "x", 0, 100, 1)
	if err != nil {
		log.Fatal(err)
	}
	if err := trainer.Fit(context.Background(), unlabelled, 10, nil); err != nil {
		fmt.Println("without labels:", err)
	}

	dataset, err := numbers(engine, 100)
	if err != nil {
		log.Fatal(err)
	}
	if dataset, err = dataset.Batch(10); err != nil {
		log.Fatal(err)
	}
	err = trainer.Fit(context.Background(), dataset, 10, func(p percale.Progress) bool {
		if p.EpochEnded {
			fmt.Printf("epoch %d/%d  loss %.4f  accuracy %.4f\n", p.Epoch, p.Epochs, p.Loss, p.Metrics["accuracy"])
		}
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
}

// numbers returns the numbers from 0 to 1 in `count` steps, each labelled with its tenth.
func numbers(engine *percale.Engine, count int) (*percale.Dataset, error) {
	return percale.DatasetGenerate(engine, int64(count), []percale.TensorType{
		{Name: "x", DType: percale.F32, Dims: []int64{1}},
		{Name: "y", DType: percale.I64},
	}, func(row *percale.Row) error {
		percale.RowColumn[float32](row, 0)[0] = float32(row.Number()) / float32(count)
		percale.RowColumn[int64](row, 1)[0] = 10 * row.Number() / int64(count)
		return nil
	})
}

package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"percale.alt/go/percale"
)

// --8<-- [start:data]
// points are rows of a point and the number of its quadrant. Labels of sparse losses are integers.
func points(engine *percale.Engine, count, seed int64) (*percale.Dataset, error) {
	columns := []percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{2}}, {Name: "y", DType: percale.I64}}
	data, err := percale.DatasetGenerate(engine, count, columns, func(row *percale.Row) error {
		y, x := math.Sincos(float64(7*row.Number() + seed))
		copy(percale.RowColumn[float32](row, 0), []float32{float32(x), float32(y)})
		quadrant := percale.RowColumn[int64](row, 1)
		if x < 0 {
			quadrant[0]++
		}
		if y < 0 {
			quadrant[0] += 2
		}
		return nil // an error ends the training
	})
	if err != nil {
		return nil, err
	}
	return data.Batch(50, percale.Shuffled(1))
}

// --8<-- [end:data]

func main() {
	if err := train(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func train(ctx context.Context) error {
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	// --8<-- [start:train]
	model := percale.Sequential(
		percale.Dense(32, percale.Words{"activation": "relu", "input_shape": []int{2}}),
		percale.Dense(4))
	trainer, err := model.Compile(engine, percale.Training{
		Optimizer:  percale.Words{"name": "adam", "learning_rate": 0.01},
		Loss:       "sparse_categorical_crossentropy",
		Metrics:    []string{"accuracy"},
		FromLogits: true,
	})
	if err != nil {
		return err
	}
	defer trainer.Close()
	data, err := points(engine, 1000, 1)
	if err != nil {
		return err
	}
	validation, err := points(engine, 200, 3)
	if err != nil {
		return err
	}
	// val_loss and val_accuracy join the history.
	if err := trainer.SetValidation(validation); err != nil {
		return err
	}
	if err := trainer.Fit(ctx, data, 5, nil); err != nil {
		return err
	}
	metrics, err := trainer.Evaluate(validation)
	if err != nil {
		return err
	}
	fmt.Printf("accuracy %.4f\n", metrics["accuracy"])
	// --8<-- [end:train]
	return nil
}

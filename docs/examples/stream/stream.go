package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"percale.alt/go/percale"
)

// --8<-- [start:stream]
// lines are rows from the lines of a file, from its start in each epoch.
func lines(engine *percale.Engine, file *os.File) (*percale.Dataset, error) {
	reader, next := bufio.NewReader(file), int64(0)
	read := func(rows *percale.Rows) (int, error) {
		if rows.First() == 0 {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return 0, err
			}
			reader.Reset(file)
			next = 0
		}
		if rows.First() != next {
			return 0, errors.New("the file is read from its start")
		}
		x, y := percale.RowsColumn[float32](rows, 0), percale.RowsColumn[float32](rows, 1)
		for i := range rows.Max() {
			if _, err := fmt.Fscan(reader, &x[i], &y[i]); err != nil {
				return i, err // io.EOF ends the epoch
			}
			next++
		}
		return rows.Max(), nil
	}
	columns := []percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{1}}, {Name: "y", DType: percale.F32, Dims: []int64{1}}}
	data, err := percale.DatasetStream(engine, columns, read)
	if err != nil {
		return nil, err
	}
	return data.Batch(32)
}

// --8<-- [end:stream]

func main() {
	if err := train(); err != nil {
		log.Fatal(err)
	}
}

func train() error {
	file, err := os.Create("points.txt")
	if err != nil {
		return err
	}
	defer file.Close()
	for i := range 1000 {
		fmt.Fprintln(file, float64(i)/1000, 2*(float64(i)/1000)-1)
	}
	engine, err := percale.NewEngine(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	model := percale.Sequential(percale.Dense(1, percale.Words{"input_shape": []int{1}}))
	trainer, err := model.Compile(engine, percale.Training{
		Optimizer: percale.Words{"name": "adam", "learning_rate": 0.05},
		Loss:      "mse",
	})
	if err != nil {
		return err
	}
	defer trainer.Close()
	data, err := lines(engine, file)
	if err != nil {
		return err
	}
	if err := trainer.Fit(context.Background(), data, 20, nil); err != nil {
		return err
	}
	metrics, err := trainer.Evaluate(data)
	if err != nil {
		return err
	}
	fmt.Println("it learns:", metrics["loss"] < 0.001)
	return nil
}

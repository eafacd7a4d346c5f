// Command mistakes: see ../../README.md. Usage: mistakes FOLDER
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"time"

	"percale.alt/go/percale"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func say(mistake string, err error) {
	var own *percale.Error
	if !errors.As(err, &own) || !errors.Is(err, own.Code) {
		log.Fatalf("%s: %v is no *percale.Error", mistake, err)
	}
	fmt.Printf("%s\t%v\t%s\n", mistake, own.Code, own.Message)
}

func main() {
	log.SetFlags(0)
	folder := os.Args[1]
	ctx := context.Background()
	engine := must(percale.NewEngine(percale.Options{"threads": 1}))
	graph := must(percale.LoadGraph(engine, filepath.Join(folder, "model.percale")))
	lengthy := must(percale.LoadGraph(engine, filepath.Join(folder, "long.percale")))
	variables := must(graph.Variables(engine, 1))
	session := must(percale.NewSession(engine, graph, variables, nil))
	run := func(s *percale.Session, dtype percale.DType, dims ...int64) error {
		_, err := s.Run(ctx, percale.Feeds{"x": must(percale.NewTensor(engine, dtype, dims...))}, "y")
		return err
	}

	say("wrong shape", run(session, percale.F32, 2, 3))
	say("wrong dtype", run(session, percale.I64, 1, 8, 8, 1))
	builder := must(percale.NewBuilder(engine))
	builder.Op("MatMull", nil)
	say("unknown op", builder.Err())
	_, err := percale.LoadGraph(engine, "/nowhere/model.percale")
	say("missing file", err)
	_, err = percale.NewSession(engine, graph, nil, nil)
	say("no variables", err)
	slow := must(percale.NewSession(engine, lengthy, nil, nil))
	x := must(percale.NewTensor(engine, percale.F32, 400, 400))
	short, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = slow.Run(short, percale.Feeds{"x": x}, "y")
	if !errors.Is(err, context.Canceled) {
		log.Fatalf("%v is not context.Canceled", err)
	}
	say("cancelled run", err)
	small := must(percale.NewSession(engine, graph, variables, percale.Options{"memory_limit": 4096}))
	say("memory limit", run(small, percale.F32, 64, 8, 8, 1))
	small.Close()
	say("use after close", run(small, percale.F32, 1, 8, 8, 1))
	good := must(percale.NewTensor(engine, percale.F32, 1, 8, 8, 1))
	y := must(session.Run(ctx, percale.Feeds{"x": good}, "y"))[0]
	fmt.Printf("lives\tOK\t%08x\n", math.Float32bits(must(percale.Values[float32](y))[0]))
}

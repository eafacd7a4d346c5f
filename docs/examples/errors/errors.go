package main

import (
	"errors"
	"fmt"
	"log"

	"percale.alt/go/percale"
)

func main() {
	engine, err := percale.NewEngine(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	_, err = percale.LoadGraph(engine, "no-such-model.percale")
	if errors.Is(err, percale.NotFound) {
		fmt.Println("NOT_FOUND:", err)
	}
}

// An HTTP service that answers with predictions while it trains in the background.
//
//		serve SPEC.json [PORT] [MEMORY_LIMIT]
//
//	  - POST /predict with the bytes of images, 784 per image: a JSON list of digits.
//	    If the client disconnects, its run is cancelled.
//	  - GET /status: JSON: step, loss, version of the weights, predictions, cancelled
//	    runs, bytes used.
//	  - GET /metrics: the metrics of the engine, for Prometheus.
//	  - POST /stop: ends the training and the service.
//
// The engine uses at most MEMORY_LIMIT bytes (512 MiB). A request that is too large gets status
// 507; the training and other requests continue.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"percale.alt/go/percale"
)

const (
	pixels    = 28 * 28
	mostBytes = 256 << 20
)

type service struct {
	engine                 *percale.Engine
	session                *percale.Session
	variables              *percale.Variables
	input, output          string
	stop                   context.CancelFunc
	progress               atomic.Pointer[percale.Progress]
	predictions, cancelled atomic.Int64
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: serve SPEC.json [PORT] [MEMORY_LIMIT]")
	}
	port, limit := argument(2, 0), argument(3, 512<<20)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, stop, os.Args[1], port, limit); err != nil {
		log.Fatal(err)
	}
}

func argument(at, otherwise int) int {
	if len(os.Args) <= at {
		return otherwise
	}
	value, err := strconv.Atoi(os.Args[at])
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func serve(ctx context.Context, stop context.CancelFunc, path string, port, limit int) error {
	spec, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	// --8<-- [start:open]
	engine, err := percale.NewEngine(percale.Options{"memory_limit": limit})
	if err != nil {
		return err
	}
	defer engine.Close()
	trainer, err := percale.TrainerFromSpec(engine, spec, percale.SpecFolders{Spec: filepath.Dir(path)},
		percale.Options{"publish": "20"}) // sessions see new weights every twenty steps
	if err != nil {
		return err
	}
	defer trainer.Close()
	// --8<-- [end:open]
	graph, err := trainer.Model()
	if err != nil {
		return err
	}
	variables, err := trainer.Variables()
	if err != nil {
		return err
	}
	session, err := percale.NewSession(engine, graph, variables, nil)
	if err != nil {
		return err
	}
	s := &service{engine: engine, session: session, variables: variables, input: graph.Inputs()[0], output: graph.Outputs()[0], stop: stop}
	s.progress.Store(&percale.Progress{})

	trained := make(chan error, 1)
	go func() {
		trained <- trainer.Fit(ctx, nil, 0, func(p percale.Progress) bool {
			s.progress.Store(&p)
			return true
		})
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /predict", s.predict)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, struct{}{})
		s.stop()
	})
	server := &http.Server{Handler: mux}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	context.AfterFunc(ctx, func() { _ = server.Shutdown(context.Background()) })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-trained; err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// --8<-- [start:answer]

// predict runs in the request's context, which ends when the client disconnects.
func (s *service) predict(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBytes))
	if err != nil || len(body) == 0 || len(body)%pixels != 0 {
		answer(w, http.StatusBadRequest, map[string]string{"error": fmt.Sprintf("wanted %d bytes per image", pixels)})
		return
	}
	digits, err := s.digits(r.Context(), body)
	switch {
	case err == nil:
		s.predictions.Add(int64(len(digits)))
		answer(w, http.StatusOK, digits)
	case errors.Is(err, context.Canceled):
		s.cancelled.Add(1)
	case errors.Is(err, percale.ResourceExhausted):
		answer(w, http.StatusInsufficientStorage, map[string]string{"error": err.Error()})
	default:
		answer(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
	}
}

func (s *service) digits(ctx context.Context, body []byte) ([]int, error) {
	images := make([]float32, len(body))
	for i, b := range body {
		images[i] = float32(b) / 255
	}
	x, err := percale.FromSlice(images, int64(len(body)/pixels), 28, 28, 1)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	out, err := s.session.Run(ctx, percale.Feeds{s.input: x}, s.output)
	if err != nil {
		return nil, err
	}
	defer out[0].Close()
	digits := make([]int, len(body)/pixels)
	err = percale.View(out[0], func(scores []float32) {
		classes := len(scores) / len(digits)
		for i := range digits {
			for c, score := range scores[i*classes : (i+1)*classes] {
				if score > scores[i*classes+digits[i]] {
					digits[i] = c
				}
			}
		}
	})
	return digits, err
}

// --8<-- [end:answer]

func (s *service) status(w http.ResponseWriter, _ *http.Request) {
	p := s.progress.Load()
	used, _ := s.engine.Memory()
	answer(w, http.StatusOK, map[string]any{"step": p.Step, "loss": p.Loss, "version": s.variables.Version(),
		"predictions": s.predictions.Load(), "cancelled": s.cancelled.Load(), "bytes": used})
}

// metrics writes every number of the engine's metrics as percale_KEY VALUE, and the errors by code.
func (s *service) metrics(w http.ResponseWriter, _ *http.Request) {
	text, err := s.engine.Metrics()
	var values map[string]any
	if err == nil {
		err = json.Unmarshal([]byte(text), &values)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for key, value := range values {
		switch value := value.(type) {
		case float64:
			fmt.Fprintf(w, "percale_%s %v\n", key, value)
		case map[string]any:
			for code, count := range value {
				fmt.Fprintf(w, "percale_%s{code=%q} %v\n", key, code, count)
			}
		}
	}
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

package percale_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"percale.org/go/percale"
)

// raceDetector is true where the race detector's own memory, which grows, hides the rest.
var raceDetector = false

// footprint is what the process holds: resident bytes, threads, open files.
func footprint(t *testing.T) (bytes, threads, files int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	for _, line := range strings.Split(string(status), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		value, _ := strconv.Atoi(fields[1])
		switch fields[0] {
		case "VmRSS:":
			bytes = value << 10
		case "Threads:":
			threads = value
		}
	}
	open, _ := os.ReadDir("/proc/self/fd")
	return bytes, threads, len(open)
}

// cycle loads a model, trains a step, runs, and closes everything.
func cycle(t *testing.T, path string) {
	t.Helper()
	e := good[*percale.Engine](t)(percale.NewEngine(nil))
	defer e.Close()
	graph := good[*percale.Graph](t)(percale.LoadGraph(e, path))
	defer graph.Close()
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	defer trainer.Close()
	x := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 2}, 2, 1))
	defer x.Close()
	y := good[*percale.Tensor](t)(percale.FromSlice([]int64{0, 1}))
	defer y.Close()
	good[float64](t)(trainer.Step(percale.Feeds{"x": x, "y": y}))
	variables := good[*percale.Variables](t)(graph.Variables(e, 1))
	defer variables.Close()
	s := good[*percale.Session](t)(percale.NewSession(e, graph, variables, nil))
	defer s.Close()
	out := good[[]*percale.Tensor](t)(s.Run(background, percale.Feeds{graph.Inputs()[0]: x}, graph.Outputs()...))
	for _, tensor := range out {
		tensor.Close()
	}
}

func TestThousandCyclesOfEverythingLeaveNothingBehind(t *testing.T) {
	e := engine(t, nil)
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	model := good[*percale.Graph](t)(trainer.Model())
	path := filepath.Join(t.TempDir(), "model.percale")
	if err := model.Save(good[*percale.Variables](t)(trainer.Variables()), path); err != nil {
		t.Fatal(err)
	}
	known := percale.KnownToC()
	measure := func() (bytes, threads, files int) {
		for range 250 {
			cycle(t, path)
		}
		debug.FreeOSMemory()
		return footprint(t)
	}
	bytes, threads, files := measure()
	_, _, _ = measure()
	// What the allocators of C and Go keep settles after a while, and a leak never does: 250 cycles must come that add less
	// than a hundredth.
	settled := raceDetector
	bytesAfter, threadsAfter, filesAfter := measure()
	for range 12 {
		before := bytesAfter
		bytesAfter, threadsAfter, filesAfter = measure()
		if bytesAfter <= before+before/100 {
			settled = true
			break
		}
	}
	if now := percale.KnownToC(); now > known {
		t.Errorf("C knows %d Go values, %d before", now, known)
	}
	t.Logf("%d and %d bytes, %d and %d threads, %d and %d files", bytes, bytesAfter, threads, threadsAfter, files, filesAfter)
	// The runtime starts a thread when it likes; cycles must not.
	if !settled || threadsAfter > threads+3 || filesAfter > files {
		t.Error("cycles leave something behind")
	}
}

package percale_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

// served returns a server at a free port of this machine. It skips the test if no plug-in connects
// processes.
func served(t *testing.T, e *percale.Engine) (*percale.Server, string) {
	t.Helper()
	s, err := percale.NewServer(e, "127.0.0.1:0", "")
	if errors.Is(err, percale.Unimplemented) {
		wants(t, err, percale.Unimplemented, "libpercale_remote.so")
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, fmt.Sprintf("127.0.0.1:%d", s.Port())
}

// A busy machine can take seconds to answer.
func clientOf(address string, connectSeconds int) (*percale.Engine, error) {
	return percale.NewEngine(percale.Options{"threads": 1, "devices": "remote:" + address + "/cpu:0", "connect_timeout": connectSeconds})
}

// product returns the elements of x * x for fixed numbers. It closes everything, because the
// objects of an engine keep it alive.
func product(t *testing.T, e *percale.Engine) []float32 {
	t.Helper()
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	defer b.Close()
	x := b.Input("x", percale.F32, 8, 8)
	b.SetOutputs(ops.MatMul(b, x, x))
	graph := good[*percale.Graph](t)(b.Finish())
	defer graph.Close()
	s := good[*percale.Session](t)(percale.NewSession(e, graph, nil, nil))
	defer s.Close()
	numbers := make([]float32, 64)
	for i := range numbers {
		numbers[i] = float32(i%7)/9 - 0.3
	}
	in := good[*percale.Tensor](t)(percale.FromSlice(numbers, 8, 8))
	out := good[[]*percale.Tensor](t)(s.Run(background, percale.Feeds{"x": in}, graph.Outputs()...))[0]
	defer out.Close()
	return good[[]float32](t)(percale.Values[float32](out))
}

func TestDeviceOfAServerComputesTheBitsOfThisProcess(t *testing.T) {
	e := engine(t, percale.Options{"threads": 1})
	s, address := served(t, e)
	soon, stop := context.WithTimeout(background, 10*time.Millisecond)
	defer stop()
	wants(t, s.Wait(soon), percale.DeadlineExceeded)
	client := good[*percale.Engine](t)(clientOf(address, 60))
	if name := client.Devices()[0]; name != "remote:"+address+"/cpu:0" {
		t.Errorf("the device is %s", name)
	}
	if got, want := product(t, client), product(t, e); !slices.Equal(got, want) {
		t.Errorf("the server computes %v, this process %v", got, want)
	}
	cancelled, cancel := context.WithCancel(background)
	waited := make(chan error)
	go func() { waited <- s.Wait(cancelled) }()
	cancel()
	wants(t, <-waited, percale.Cancelled)
	later, stop := context.WithTimeout(background, time.Minute)
	defer stop()
	go func() { waited <- s.Wait(later) }()
	client.Close()
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

func TestServerRefusesAddressesThatItCannotHave(t *testing.T) {
	e := engine(t, percale.Options{"threads": 1})
	_, address := served(t, e)
	for _, test := range []struct {
		address, certificates string
		code                  percale.Code
	}{{address, "", percale.Unavailable}, {"192.0.2.1:0", "", percale.FailedPrecondition}, {"127.0.0.1:0", "no/such", percale.NotFound}} {
		_, err := percale.NewServer(e, test.address, test.certificates)
		wants(t, err, test.code)
	}
	_, err := percale.NewServer(nil, address, "")
	wants(t, err, percale.InvalidArgument, "the engine is nil")
}

func TestCloseEndsTheWaitsOfAServer(t *testing.T) {
	s, address := served(t, engine(t, percale.Options{"threads": 1}))
	waits := make(chan error)
	for range 3 {
		go func() { waits <- s.Wait(background) }()
	}
	s.Close()
	for range 3 {
		wants(t, <-waits, percale.FailedPrecondition, "the server is closed")
	}
	if s.Port() != 0 {
		t.Errorf("a closed server has the port %d", s.Port())
	}
	_, err := clientOf(address, 1)
	wants(t, err, percale.Unavailable)
}

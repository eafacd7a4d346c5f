package percale

// #include <percale.h>
// #include <stdlib.h>
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// TensorType is a name with a dtype and dims: what a prepared call is fed, or a column of a data set.
type TensorType struct {
	Name  string  // of the value
	DType DType   // of its elements
	Dims  []int64 // -1 = unknown
}

func splitTypes(types []TensorType) (names []string, dtypes []DType, dims [][]int64) {
	for _, t := range types {
		names = append(names, t.Name)
		dtypes = append(dtypes, t.DType)
		dims = append(dims, t.Dims)
	}
	return names, dtypes, dims
}

// Call is a prepared pair of feeds and fetches: the fast path. Bind says which tensors it reads and writes, Run runs. For
// one goroutine at a time; a second one gets an error with code FailedPrecondition.
type Call struct {
	owner
	feeds, fetches int
	bound          *binding
	busy           atomic.Bool
}

// binding holds the tensors' pointers in C's memory, so that a run hands over two addresses and nothing is copied.
type binding struct {
	tensors []*Tensor // own references
	raw     unsafe.Pointer
	outputs **C.percale_tensor
}

func releaseCall(p unsafe.Pointer) { callRelease((*C.percale_call)(p)) }

func (b *binding) close() {
	for _, t := range b.tensors {
		if t != nil {
			t.Close()
		}
	}
	C.free(b.raw)
}

// Prepare makes a call for feeds of these types.
func (s *Session) Prepare(feeds []TensorType, fetches ...string) (*Call, error) {
	c, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer s.done()
	names, dtypes, dims := splitTypes(feeds)
	p, err := callCreate(c, names, dtypes, dims, ranksOf(dims), fetches)
	if err != nil {
		return nil, err
	}
	call := &Call{feeds: len(feeds), fetches: len(fetches)}
	call.bound = &binding{}
	bound := call.bound
	release := func(p unsafe.Pointer) {
		releaseCall(p)
		bound.close()
	}
	return own(call, &call.owner, "call", unsafe.Pointer(p), release), nil
}

func (c *Call) enter() (*C.percale_call, error) {
	if c == nil {
		return nil, errorf(InvalidArgument, "the call is nil")
	}
	p, err := c.use()
	if err == nil && !c.busy.CompareAndSwap(false, true) {
		c.done()
		return nil, errorf(FailedPrecondition, "the call is used by another goroutine: one at a time may")
	}
	return (*C.percale_call)(p), err
}

func (c *Call) leave() {
	c.busy.Store(false)
	c.done()
}

// OutputType is dtype and dims of a fetch, -1 = unknown.
func (c *Call) OutputType(index int) (TensorType, error) {
	p, err := c.enter()
	if err != nil {
		return TensorType{}, err
	}
	defer c.leave()
	dtype, dims, err := callOutputType(p, index)
	return TensorType{DType: dtype, Dims: dims}, err
}

// VariablesVersion is the version of the variables that the last run has read; 0 before the first.
func (c *Call) VariablesVersion() (int64, error) {
	p, err := c.enter()
	if err != nil {
		return 0, err
	}
	defer c.leave()
	return callVariablesVersion(p), nil
}

// Carry says that from now on the feed of a run is what the fetch of the run before has given, on the device that computes where that can
// keep it. A nil input in Bind goes on with it, a given one begins anew; with a nil output nothing of the fetch comes to the host.
func (c *Call) Carry(fetch, feed int) error {
	p, err := c.enter()
	if err != nil {
		return err
	}
	defer c.leave()
	return callCarry(p, fetch, feed)
}

// Bind says which tensors Run reads and writes, in the order of Prepare. They are kept until the next Bind or Close. It checks
// how many there are; dtypes and shapes Run checks.
func (c *Call) Bind(inputs, outputs []*Tensor) error {
	_, err := c.enter()
	if err != nil {
		return err
	}
	defer c.leave()
	if len(inputs) != c.feeds || len(outputs) != c.fetches {
		return errorf(InvalidArgument, "Bind: %d inputs and %d outputs, wanted %d and %d", len(inputs), len(outputs),
			c.feeds, c.fetches)
	}
	var next binding
	for _, t := range append(append([]*Tensor{}, inputs...), outputs...) {
		var kept *Tensor
		var err error
		if t != nil {
			kept, err = t.Retain()
		}
		if err != nil {
			next.close()
			return err
		}
		next.tensors = append(next.tensors, kept)
	}
	size := C.size_t(len(next.tensors)+1) * C.size_t(unsafe.Sizeof(uintptr(0)))
	next.raw = C.malloc(size)
	raw := unsafe.Slice((**C.percale_tensor)(next.raw), len(next.tensors)+1)
	for i, t := range next.tensors {
		raw[i] = nil
		if t != nil {
			raw[i] = (*C.percale_tensor)(t.ref.ptr)
		}
	}
	next.outputs = &raw[len(inputs)]
	c.bound.close()
	*c.bound = next
	return nil
}

// Run runs with the bound tensors: one step over to C, and no allocation, but for a ctx that can end: it ends this run alone,
// inside a kernel if need be, and before it begins where ctx has ended already. Tensors of another dtype or shape than Prepare
// was told are found here.
func (c *Call) Run(ctx context.Context) error {
	p, err := c.enter()
	if err != nil {
		return err
	}
	if c.bound.raw == nil {
		c.leave()
		return errorf(FailedPrecondition, "Run: Bind comes first")
	}
	timeout, err := timeLeft(ctx)
	if err != nil {
		c.leave()
		return err
	}
	if ctx.Done() != nil || timeout != forever {
		err = c.runUntil(ctx, p, timeout)
	} else if status := C.percale_call_run(p, (**C.percale_tensor)(c.bound.raw), c.bound.outputs); status != nil {
		err = statusError(status)
	}
	c.leave()
	return err
}

func (c *Call) runUntil(ctx context.Context, p *C.percale_call, timeout int64) error {
	stopping, stop, err := cancelWith(ctx)
	if err != nil {
		return err
	}
	status := C.percale_call_run_until(p, (**C.percale_tensor)(c.bound.raw), c.bound.outputs, C.int64_t(timeout), stopping)
	stop()
	if status != nil {
		err = statusError(status)
	}
	return ended(ctx, err)
}

// cancelWith makes a cancellation that is cancelled when ctx ends, until stop, which releases it.
func cancelWith(ctx context.Context) (c *C.percale_cancellation, stop func(), err error) {
	c, err = cancellationCreate()
	if err != nil {
		return nil, nil, err
	}
	over := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		cancellationCancel(c)
		close(over)
	})
	return c, func() {
		if !forget() {
			<-over
		}
		cancellationRelease(c)
	}, nil
}

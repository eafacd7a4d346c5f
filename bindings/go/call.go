package percale

// #include <percale.h>
// #include <stdlib.h>
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// TensorType is a name with a dtype and dims. It describes a feed of a prepared call, a value of a
// graph, or a column of a data set.
type TensorType struct {
	Name  string  // name of the value
	DType DType   // type of the elements
	Dims  []int64 // -1 for an unknown dim
}

func splitTypes(types []TensorType) (names []string, dtypes []DType, dims [][]int64) {
	for _, t := range types {
		names = append(names, t.Name)
		dtypes = append(dtypes, t.DType)
		dims = append(dims, t.Dims)
	}
	return names, dtypes, dims
}

// Call is a prepared pair of feeds and fetches, the fastest way to run a graph. Bind sets the
// tensors that it reads and writes; Run executes it. Only one goroutine may use a Call at a time; a
// second one gets an error with code FailedPrecondition.
type Call struct {
	owner
	feeds, fetches int
	bound          *binding
	busy           atomic.Bool
}

// binding holds the tensor pointers in C memory, so a run passes two addresses and copies nothing.
type binding struct {
	tensors []*Tensor // references owned by the binding
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

// Prepare returns a call for feeds of these types.
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
		return nil, errorf(FailedPrecondition, "the call is used by another goroutine: prepare a call for each goroutine")
	}
	return (*C.percale_call)(p), err
}

func (c *Call) leave() {
	c.busy.Store(false)
	c.done()
}

// OutputType returns the dtype and dims of a fetch, with -1 for an unknown dim.
func (c *Call) OutputType(index int) (TensorType, error) {
	p, err := c.enter()
	if err != nil {
		return TensorType{}, err
	}
	defer c.leave()
	dtype, dims, err := callOutputType(p, index)
	return TensorType{DType: dtype, Dims: dims}, err
}

// VariablesVersion returns the version of the variables that the last successful run read. It is 0
// before the first one.
func (c *Call) VariablesVersion() (int64, error) {
	p, err := c.enter()
	if err != nil {
		return 0, err
	}
	defer c.leave()
	return callVariablesVersion(p), nil
}

// Carry makes the result of a fetch the input of a feed in the next run (recurrent state). The
// state stays on the computing device if that device can keep it. An input that Bind sets to nil
// takes the state of the last run; an input that is not nil starts a new state. An output that is
// nil is not copied to the host.
func (c *Call) Carry(fetch, feed int) error {
	p, err := c.enter()
	if err != nil {
		return err
	}
	defer c.leave()
	return callCarry(p, fetch, feed)
}

// Bind sets the tensors that Run reads and writes, in the order passed to Prepare. The call keeps
// references to them until the next Bind or Close. Bind checks only the number of tensors; Run
// checks dtypes and shapes.
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

// Run executes the call with the bound tensors. It crosses into C once and allocates nothing,
// unless ctx can end. When ctx ends, only this run ends, inside a kernel if necessary; if ctx has
// already ended, the run does not start. Run returns an error if a tensor has another dtype or
// shape than Prepare was given.
func (c *Call) Run(ctx context.Context) error {
	p, err := c.enter()
	if err != nil {
		return err
	}
	if c.bound.raw == nil {
		c.leave()
		return errorf(FailedPrecondition, "Run: no tensors are bound: call Bind first")
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
	return asContextError(ctx, err)
}

// cancelWith returns a cancellation token that is cancelled when ctx ends. stop detaches the token
// from ctx and releases it.
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

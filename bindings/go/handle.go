package percale

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// ref holds one reference to an object of the library. It releases the reference when it is closed
// and no call uses it any more. Neither Close nor the garbage collector can therefore free memory
// during a call.
type ref struct {
	ptr     unsafe.Pointer
	release func(unsafe.Pointer)
	kind    string
	users   atomic.Int64 // calls in progress, plus 1 while it is open
	closed  atomic.Bool
}

func (r *ref) enter() bool {
	return !r.closed.Load() && r.join()
}

// join is enter for functions that cancel calls in progress. It also succeeds after Close.
func (r *ref) join() bool {
	for {
		n := r.users.Load()
		if n <= 0 {
			return false
		}
		if r.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (r *ref) leave() {
	if r.users.Add(-1) == 0 {
		r.release(r.ptr)
	}
}

func (r *ref) close() {
	if r.closed.CompareAndSwap(false, true) {
		r.leave()
	}
}

// owner is the first field of every type with a Close method.
type owner struct {
	ref     *ref
	cleanup runtime.Cleanup
}

// Close releases the object once the calls that use it have returned. Later calls return an error
// with code FailedPrecondition. Closing more than once is allowed.
func (o *owner) Close() error {
	if o != nil && o.ref != nil {
		o.cleanup.Stop()
		o.ref.close()
	}
	return nil
}

// use returns the pointer for one call. The caller must call done afterwards.
func (o *owner) use() (unsafe.Pointer, error) {
	if o == nil || o.ref == nil {
		return nil, errorf(FailedPrecondition, "the object is nil or was not created: use the function that creates one")
	}
	if !o.ref.enter() {
		return nil, errorf(FailedPrecondition, "the %s is closed", o.ref.kind)
	}
	return o.ref.ptr, nil
}

// ending returns the pointer, until done, to functions that cancel calls in progress. It also works
// after a Close that waits for such calls.
func (o *owner) ending() (ptr unsafe.Pointer, there bool) {
	if o == nil || o.ref == nil || !o.ref.join() {
		return nil, false
	}
	return o.ref.ptr, true
}

func (o *owner) done() { o.ref.leave() }

// own makes object, whose owner field is o, the holder of a reference.
func own[T any](object *T, o *owner, kind string, ptr unsafe.Pointer, release func(unsafe.Pointer)) *T {
	r := &ref{ptr: ptr, release: release, kind: kind}
	r.users.Store(1)
	o.ref = r
	o.cleanup = runtime.AddCleanup(object, (*ref).close, r)
	return object
}

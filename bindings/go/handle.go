package percale

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// ref is one reference of the library. It lives until it is closed and no call uses it any more, so that a Close, or the
// garbage collector's, never pulls memory away from under a call.
type ref struct {
	ptr     unsafe.Pointer
	release func(unsafe.Pointer)
	kind    string
	users   atomic.Int64 // calls under way, and 1 while it is open
	closed  atomic.Bool
}

func (r *ref) enter() bool {
	return !r.closed.Load() && r.join()
}

// join is enter for what ends calls that are under way, after a Close as well.
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

// owner is the first field of everything that has a Close method.
type owner struct {
	ref     *ref
	cleanup runtime.Cleanup
}

// Close gives the reference back, when calls that use it are over. Later calls give an error with code
// FailedPrecondition. It may be called several times.
func (o *owner) Close() error {
	if o != nil && o.ref != nil {
		o.cleanup.Stop()
		o.ref.close()
	}
	return nil
}

// use gives the pointer for one call, which ends with done.
func (o *owner) use() (unsafe.Pointer, error) {
	if o == nil || o.ref == nil {
		return nil, errorf(FailedPrecondition, "there is no handle: it was never made, or is nil")
	}
	if !o.ref.enter() {
		return nil, errorf(FailedPrecondition, "the %s is closed", o.ref.kind)
	}
	return o.ref.ptr, nil
}

// ending gives the pointer, until done, to what ends calls that are under way: also after a Close that waits for them.
func (o *owner) ending() (ptr unsafe.Pointer, there bool) {
	if o == nil || o.ref == nil || !o.ref.join() {
		return nil, false
	}
	return o.ref.ptr, true
}

func (o *owner) done() { o.ref.leave() }

// own makes `object`, whose owner is `o`, the holder of a reference.
func own[T any](object *T, o *owner, kind string, ptr unsafe.Pointer, release func(unsafe.Pointer)) *T {
	r := &ref{ptr: ptr, release: release, kind: kind}
	r.users.Store(1)
	o.ref = r
	o.cleanup = runtime.AddCleanup(object, (*ref).close, r)
	return object
}

package percale

/*
#include <percale.h>
#include <stdint.h>
*/
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Go values that C refers to by an id, for as long as C may pass the id back. Looking up an id that
// is no longer registered is harmless.
var (
	sinks    sync.Map // maps uintptr to any
	lastSink atomic.Uintptr
)

// remember registers a value and returns its id, which is valid until forgetSink.
func remember(value any) uintptr {
	id := lastSink.Add(1)
	sinks.Store(id, value)
	return id
}

func forgetSink(id uintptr) { sinks.Delete(id) }

func sinkOf[T any](id C.uintptr_t) (T, bool) {
	value, _ := sinks.Load(uintptr(id))
	out, ok := value.(T)
	return out, ok
}

//export goPercaleLog
func goPercaleLog(user C.uintptr_t, level C.int32_t, message *C.char, size C.size_t) {
	if f, ok := sinkOf[func(LogLevel, string)](user); ok {
		f(LogLevel(level), C.GoStringN(message, C.int(size)))
	}
}

//export goPercaleForget
func goPercaleForget(user C.uintptr_t) { forgetSink(uintptr(user)) }

//export goPercaleDeleter
func goPercaleDeleter(user C.uintptr_t) {
	if pins, ok := sinkOf[*runtime.Pinner](user); ok {
		forgetSink(uintptr(user))
		pins.Unpin()
	}
}

//export goPercaleReady
func goPercaleReady(user C.uintptr_t) {
	if ready, ok := sinkOf[chan struct{}](user); ok {
		forgetSink(uintptr(user))
		close(ready)
	}
}

//export goPercaleRow
func goPercaleRow(user C.uintptr_t, row C.int64_t, columns *unsafe.Pointer) C.int32_t {
	source, ok := sinkOf[*rowSource](user)
	if !ok || !source.fill(int64(row), columns) {
		return 1
	}
	return 0
}

//export goPercaleProgress
func goPercaleProgress(user C.uintptr_t, progress *C.percale_progress) C.int32_t {
	fit, ok := sinkOf[*fitting](user)
	if !ok || !fit.tell(progress) {
		return 1
	}
	return 0
}

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

// registry has the Go values that C refers to by an id, for as long as C may pass the id back. The
// lookup of an id that is no longer registered finds nothing.
var (
	registry sync.Map // maps uintptr to any
	lastID   atomic.Uintptr
)

// register registers a value and returns its id, which is valid until unregister.
func register(value any) uintptr {
	id := lastID.Add(1)
	registry.Store(id, value)
	return id
}

func unregister(id uintptr) { registry.Delete(id) }

// registered returns the value of an id, if it is registered and has this type.
func registered[T any](id C.uintptr_t) (T, bool) {
	value, _ := registry.Load(uintptr(id))
	out, ok := value.(T)
	return out, ok
}

//export goPercaleLog
func goPercaleLog(user C.uintptr_t, level C.int32_t, message *C.char, size C.size_t) {
	if f, ok := registered[func(LogLevel, string)](user); ok {
		f(LogLevel(level), C.GoStringN(message, C.int(size)))
	}
}

//export goPercaleForget
func goPercaleForget(user C.uintptr_t) { unregister(uintptr(user)) }

//export goPercaleDeleter
func goPercaleDeleter(user C.uintptr_t) {
	if pins, ok := registered[*runtime.Pinner](user); ok {
		unregister(uintptr(user))
		pins.Unpin()
	}
}

//export goPercaleReady
func goPercaleReady(user C.uintptr_t) {
	if ready, ok := registered[chan struct{}](user); ok {
		unregister(uintptr(user))
		close(ready)
	}
}

//export goPercaleRow
func goPercaleRow(user C.uintptr_t, row C.int64_t, columns *unsafe.Pointer) C.int32_t {
	source, ok := registered[*rowSource](user)
	if !ok || !source.fill(int64(row), columns) {
		return 1
	}
	return 0
}

//export goPercaleStream
func goPercaleStream(user C.uintptr_t, epoch, first, most C.int64_t, columns *unsafe.Pointer, rows *C.int64_t) *C.percale_status {
	stream, ok := registered[*rowStream](user)
	if !ok {
		return newStatus(Internal, "the function of the stream is no longer registered")
	}
	return stream.next(int64(epoch), int64(first), int64(most), columns, rows)
}

//export goPercaleProgress
func goPercaleProgress(user C.uintptr_t, progress *C.percale_progress) C.int32_t {
	fit, ok := registered[*fitting](user)
	if !ok || !fit.tell(progress) {
		return 1
	}
	return 0
}

//export goPercaleExchange
func goPercaleExchange(user C.uintptr_t, tag C.uint64_t, sends, recvs *C.percale_bytes, timeout C.int64_t) *C.percale_status {
	group, ok := registered[*membership](user)
	if !ok {
		return newStatus(Internal, "the collective is no longer registered")
	}
	return group.exchange(uint64(tag), sends, recvs, int64(timeout))
}

//export goPercaleLost
func goPercaleLost(user C.uintptr_t, ranks *C.int32_t, count *C.size_t) *C.percale_status {
	group, ok := registered[*membership](user)
	if !ok {
		return newStatus(Internal, "the collective is no longer registered")
	}
	return group.lost(ranks, count)
}

//export goPercaleExecute
func goPercaleExecute(user C.uintptr_t, task *C.percale_task) *C.percale_status {
	pool, ok := registered[*executor](user)
	if !ok {
		return newStatus(Internal, "the executor is no longer registered")
	}
	return pool.run(task)
}

//export goPercaleFileSize
func goPercaleFileSize(user C.uintptr_t, name *C.char, size *C.int64_t) *C.percale_status {
	reader, ok := registered[*fileReader](user)
	if !ok {
		return newStatus(Internal, "the file system is no longer registered")
	}
	return reader.size(C.GoString(name), size)
}

//export goPercaleFileRead
func goPercaleFileRead(user C.uintptr_t, name *C.char, offset C.int64_t, buffer unsafe.Pointer, size C.size_t) *C.percale_status {
	reader, ok := registered[*fileReader](user)
	if !ok {
		return newStatus(Internal, "the file system is no longer registered")
	}
	return reader.read(C.GoString(name), int64(offset), unsafe.Slice((*byte)(buffer), int(size)))
}

package percale

/*
#include <percale.h>
*/
import "C"

import (
	"runtime"
	"strings"
	"unsafe"
)

// text returns s with a terminating NUL, in Go memory. The result is valid for one call.
func text(s string) (*C.char, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, errorf(InvalidArgument, "%q holds a NUL", s)
	}
	bytes := make([]byte, len(s)+1)
	copy(bytes, s)
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(bytes))), nil
}

// textOrNil is text, but returns NULL for "".
func textOrNil(s string) (*C.char, error) {
	if s == "" {
		return nil, nil
	}
	return text(s)
}

// texts returns an array of C strings, which pins keeps in place.
func texts(pins *runtime.Pinner, all []string) (**C.char, error) {
	if len(all) == 0 {
		return nil, nil
	}
	out := make([]*C.char, len(all))
	for i, s := range all {
		c, err := text(s)
		if err != nil {
			return nil, err
		}
		pins.Pin(c)
		out[i] = c
	}
	return unsafe.SliceData(out), nil
}

// dimsOf returns an array of pointers to the dims of several shapes.
func dimsOf(pins *runtime.Pinner, all [][]int64) **C.int64_t {
	if len(all) == 0 {
		return nil
	}
	out := make([]*C.int64_t, len(all))
	for i, dims := range all {
		if len(dims) > 0 {
			pins.Pin(unsafe.SliceData(dims))
			out[i] = (*C.int64_t)(unsafe.SliceData(dims))
		}
	}
	return unsafe.SliceData(out)
}

func ranksOf(all [][]int64) []C.size_t {
	out := make([]C.size_t, len(all))
	for i, dims := range all {
		out[i] = C.size_t(len(dims))
	}
	return out
}

// goText copies a borrowed C string. It returns "" for NULL.
func goText(c *C.char) string { return C.GoString(c) }

// takeText copies a text and releases it.
func takeText(t *C.percale_text) string {
	defer C.percale_text_release(t)
	var size C.size_t
	data := C.percale_text_data(t, &size)
	if data == nil {
		return ""
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(data)), int(size)))
}

// goDims copies dims. It returns nil if not even the rank is known.
func goDims(dims *[8]C.int64_t, rank C.size_t) []int64 {
	if rank > 8 {
		return nil
	}
	out := make([]int64, rank)
	for i := range out {
		out[i] = int64(dims[i])
	}
	return out
}

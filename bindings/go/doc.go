// Package percale trains and serves deep-learning models inside a Go program, through the C ABI of the Percale library.
//
// What owns something of the library (an Engine, a Tensor, a Session, ...) has a Close method, which may be called at any
// time, also while another goroutine uses it: the memory goes when the last use is over, and later uses give an error.
// What is forgotten is closed when the garbage collector finds it.
//
// Errors are of type *Error and carry the library's message; errors.Is(err, percale.NotFound) asks for the code, and a run
// that a context has ended answers errors.Is(err, context.Canceled) as well.
//
// The library is found by pkg-config. With the build tag percale_path it is found by CGO_CFLAGS and CGO_LDFLAGS instead.
package percale

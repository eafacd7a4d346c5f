// Package percale trains and serves deep-learning models inside a Go program, through the C ABI of
// the Percale library.
//
// Every type that owns an object of the library (Engine, Tensor, Session, ...) has a Close method.
// Close may be called at any time, also while another goroutine uses the object. The memory is then
// released after the last use, and later uses return an error. The garbage collector closes objects
// that are no longer reachable.
//
// Errors have the type *Error and carry the message of the library. Test for a code with
// errors.Is(err, percale.NotFound). If a context ended a run, errors.Is(err, context.Canceled) or
// errors.Is(err, context.DeadlineExceeded) is also true.
//
// The build finds the library through pkg-config. With the build tag percale_path, CGO_CFLAGS and
// CGO_LDFLAGS locate it instead.
package percale

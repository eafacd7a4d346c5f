package percale

// #include <percale.h>
import "C"

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// Error is the error of a failed call.
type Error struct {
	Code    Code   // code to test with errors.Is
	Message string // message of the library
	cause   error  // what Unwrap returns
}

func (e *Error) Error() string { return e.Message }

// Is reports whether target is the code of the error, or the context error with the same meaning.
func (e *Error) Is(target error) bool {
	switch {
	case target == context.Canceled:
		return e.Code == Cancelled
	case target == context.DeadlineExceeded:
		return e.Code == DeadlineExceeded
	}
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Unwrap returns the cause of the context that ended a run, or the error of a row function, of the
// function of a stream or of a Collective. It returns nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// String returns the upper-case name of a code, such as "INVALID_ARGUMENT".
func (c Code) String() string { return C.GoString(C.percale_code_name(C.percale_code(c))) }

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return c.String() }

// String returns the name of the dtype, such as "f32".
func (d DType) String() string {
	if name, ok := dtypeNames[d]; ok {
		return name
	}
	return fmt.Sprintf("dtype %d", int32(d))
}

// statusError converts a status to an error and releases it.
func statusError(status *C.percale_status) error {
	defer C.percale_status_release(status)
	var size C.size_t
	message := C.percale_status_message(status, &size)
	return &Error{Code: Code(C.percale_status_code(status)), Message: C.GoStringN(message, C.int(size))}
}

// describe returns what the library is told of an error of a callback.
func describe(err error) (code Code, message string) {
	var own *Error
	var plain Code
	var panicked *panicError
	code = Unavailable
	switch {
	case errors.As(err, &own):
		code = own.Code
	case errors.As(err, &plain):
		code = plain
	case errors.As(err, &panicked):
		code = Aborted
	}
	if code == OK { // which would be no error
		code = Unknown
	}
	return code, err.Error()
}

// newStatus returns a status, which the library releases.
func newStatus(code Code, message string) *C.percale_status {
	return C.percale_status_create(C.percale_code(code), (*C.char)(unsafe.Pointer(unsafe.StringData(message))), C.size_t(len(message)))
}

// failures keeps the last error of a callback that returns a status, until a call reports it.
type failures struct{ last atomic.Pointer[failure] }

// failure is an error of a callback.
type failure struct {
	cause   error
	message string // what the library knows of it
}

// status keeps an error for explain, and returns it as a status of the library; nil for nil.
func (f *failures) status(err error) *C.percale_status {
	if err == nil {
		return nil
	}
	code, message := describe(err)
	f.last.Store(&failure{err, message})
	return newStatus(code, message)
}

// explain adds the last error of the callback as the cause of an error of the library, if that has
// its message. The library may also have dealt with the error, and have failed of another.
func (f *failures) explain(err error) error {
	var own *Error
	if !errors.As(err, &own) || own.cause != nil {
		return err
	}
	last := f.last.Load()
	if last == nil || !strings.Contains(own.Message, last.message) {
		return err
	}
	f.last.Store(nil)
	return &Error{Code: own.Code, Message: own.Message, cause: last.cause}
}

// panicError is the panic of a callback.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

func (e *panicError) Unwrap() error {
	cause, _ := e.value.(error)
	return cause
}

// withoutPanic calls a callback. A panic becomes an error, because it must not unwind through C.
func withoutPanic(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	return call()
}

func errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func lengthsDiffer(function, a, b string) error {
	return errorf(InvalidArgument, "%s: '%s' and '%s' differ in length", function, a, b)
}

// timeLeft checks ctx before a run. It returns an error if ctx has ended or its deadline has
// passed, otherwise the time left in nanoseconds.
func timeLeft(ctx context.Context) (timeout int64, err error) {
	if ctx.Err() != nil {
		return 0, contextError(ctx, "the context has ended: "+ctx.Err().Error())
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return forever, nil
	}
	left := time.Until(deadline)
	if left <= 0 {
		return 0, deadlineError(ctx, "the context's deadline has passed")
	}
	return int64(left), nil
}

// contextError returns the error of a run that ctx ended.
func contextError(ctx context.Context, message string) *Error {
	out := &Error{Code: Cancelled, Message: message, cause: context.Cause(ctx)}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.Code = DeadlineExceeded
	}
	return out
}

// deadlineError returns the error of a run that the deadline of ctx ended. The timer of ctx may
// fire a moment later, so deadlineError waits until the cause is available.
func deadlineError(ctx context.Context, message string) *Error {
	if ctx.Done() != nil {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second): // a context that is not of package context may never end
		}
	}
	return &Error{Code: DeadlineExceeded, Message: message, cause: context.Cause(ctx)}
}

// asContextError returns the error of a run with the cause of ctx, if ctx ended the run. It returns
// other errors unchanged.
func asContextError(ctx context.Context, err error) error {
	var own *Error
	if !errors.As(err, &own) {
		return err
	}
	if own.Code == Cancelled && ctx.Err() != nil {
		return contextError(ctx, own.Message)
	}
	if deadline, ok := ctx.Deadline(); ok && own.Code == DeadlineExceeded && own.cause == nil && time.Until(deadline) <= 0 {
		return deadlineError(ctx, own.Message)
	}
	return err
}

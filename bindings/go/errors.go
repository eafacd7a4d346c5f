package percale

// #include <percale.h>
import "C"

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Error is what a failed call gives: the library's message and its code.
type Error struct {
	Code    Code   // what errors.Is asks for
	Message string // the library's words
	cause   error  // of the context that ended a run, or what a function of the caller's gave
}

func (e *Error) Error() string { return e.Message }

// Is tells whether target is the error's code, or the context's error that means the same.
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

// Unwrap gives the cause of the context that ended a run, or the error of a function that makes rows, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// String is the upper-case name of a code, "INVALID_ARGUMENT".
func (c Code) String() string { return C.GoString(C.percale_code_name(C.percale_code(c))) }

// Error lets a code stand as the target of errors.Is.
func (c Code) Error() string { return c.String() }

// String is "f32", "i64", ...
func (d DType) String() string {
	if name, ok := dtypeNames[d]; ok {
		return name
	}
	return fmt.Sprintf("dtype %d", int32(d))
}

// statusError takes a status over and makes it an error.
func statusError(status *C.percale_status) error {
	defer C.percale_status_release(status)
	var size C.size_t
	message := C.percale_status_message(status, &size)
	return &Error{Code: Code(C.percale_status_code(status)), Message: C.GoStringN(message, C.int(size))}
}

func errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func lengthsDiffer(function, a, b string) error {
	return errorf(InvalidArgument, "%s: '%s' and '%s' differ in length", function, a, b)
}

// timeLeft is what comes before a run under ctx: an error where ctx has ended or its deadline has passed, else the time that the
// run may take, in nanoseconds.
func timeLeft(ctx context.Context) (timeout int64, err error) {
	if ctx.Err() != nil {
		return 0, endedBy(ctx, "the context has ended: "+ctx.Err().Error())
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return forever, nil
	}
	left := time.Until(deadline)
	if left <= 0 {
		return 0, passed(ctx, "the context's deadline has passed")
	}
	return int64(left), nil
}

// endedBy is the error of a run that ctx, which has ended, ends.
func endedBy(ctx context.Context, message string) *Error {
	out := &Error{Code: Cancelled, Message: message, cause: context.Cause(ctx)}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.Code = DeadlineExceeded
	}
	return out
}

// passed is the error of a run that the deadline of ctx ends, perhaps a moment before ctx itself does, which has the cause.
func passed(ctx context.Context, message string) *Error {
	if ctx.Done() != nil {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second): // not one of the package context, whose timers fire
		}
	}
	return &Error{Code: DeadlineExceeded, Message: message, cause: context.Cause(ctx)}
}

// ended makes the error of a run that ctx has ended say so.
func ended(ctx context.Context, err error) error {
	var own *Error
	if !errors.As(err, &own) {
		return err
	}
	if own.Code == Cancelled && ctx.Err() != nil {
		return endedBy(ctx, own.Message)
	}
	if deadline, ok := ctx.Deadline(); ok && own.Code == DeadlineExceeded && own.cause == nil && time.Until(deadline) <= 0 {
		return passed(ctx, own.Message)
	}
	return err
}

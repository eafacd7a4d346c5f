package percale

// #include <percale.h>
import "C"

import (
	"context"
	"errors"
	"fmt"
)

// Error is what a failed call gives: the library's message and its code.
type Error struct {
	Code    Code   // what errors.Is asks for
	Message string // the library's words
	cause   error  // of the context that ended a run
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

// Unwrap gives the cause of the context that ended a run, if one did.
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

// ended makes the error of a run that ctx has ended say so.
func ended(ctx context.Context, err error) error {
	var own *Error
	if err == nil || ctx.Err() == nil || !errors.As(err, &own) || own.Code != Cancelled {
		return err
	}
	out := &Error{Code: Cancelled, Message: own.Message, cause: context.Cause(ctx)}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.Code = DeadlineExceeded
	}
	return out
}

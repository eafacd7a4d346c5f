// Package calls is the prepared call of calls.c for a benchmark to compare with, because a test
// file cannot contain C.
package calls

/*
#cgo LDFLAGS: -lpercale_calls
#include "../calls.h"
*/
import "C"

// InC is a prepared call that C runs.
type InC struct{ c *C.calls }

// Open returns a nil call on failure.
func Open() InC { return InC{C.calls_open()} }

// Run runs the call `times` times within C. Returns true if all runs succeeded.
func (c InC) Run(times int) bool { return c.c != nil && C.calls_run(c.c, C.int64_t(times)) == 1 }

// Close releases it.
func (c InC) Close() { C.calls_close(c.c) }

// Package calls is the prepared call of calls.c, for a benchmark to compare with; a test file cannot hold C.
package calls

/*
#cgo LDFLAGS: -lpercale_calls
#include "../calls.h"
*/
import "C"

// InC is a prepared call that C runs.
type InC struct{ c *C.calls }

// Open gives a nil call when that fails.
func Open() InC { return InC{C.calls_open()} }

// Run runs it so many times within C, and says whether all went well.
func (c InC) Run(times int) bool { return c.c != nil && C.calls_run(c.c, C.int64_t(times)) == 1 }

// Close ends it.
func (c InC) Close() { C.calls_close(c.c) }

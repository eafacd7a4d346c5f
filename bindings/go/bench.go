package percale

/*
#include <percale.h>

static void run_in_c(percale_call* call, percale_tensor** in, percale_tensor** out, int64_t times) {
  for (int64_t i = 0; i < times; ++i) percale_status_release(percale_call_run(call, in, out));
}
*/
import "C"

// runInC is the loop that a benchmark compares Run with; a test file cannot hold C.
func runInC(c *Call, times int) {
	p, err := c.enter()
	if err != nil {
		return
	}
	defer c.leave()
	C.run_in_c(p, (**C.percale_tensor)(c.bound.raw), c.bound.outputs, C.int64_t(times))
}

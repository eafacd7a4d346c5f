/* An allocator for the whole process that fails on request. It replaces the C library's for the
 * library under test, for the C++ runtime and for the C library itself. */
#ifndef PERCALE_TESTS_HOSTS_FAILING_MALLOC_H_
#define PERCALE_TESTS_HOSTS_FAILING_MALLOC_H_

#include <stdint.h>

/* Returns 1 if the process's allocator can be replaced, which is not possible under a sanitizer. */
int failing_malloc_works(void);
/* Starts counting requests for blocks of memory, mappings and threads. The `fail_at`-th request
 * fails (counted from 1; 0: none). With `persistent` all later ones fail, too. */
void failing_malloc_begin(int64_t fail_at, int persistent);
/* Stops counting. Returns the number of requests and stores the number of failed ones. */
int64_t failing_malloc_end(int64_t* out_failed);
/* Returns the number of blocks and mappings that are allocated now. */
int64_t failing_malloc_held(void);

#endif /* PERCALE_TESTS_HOSTS_FAILING_MALLOC_H_ */

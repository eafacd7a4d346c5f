/* An allocator for the whole process that fails on request: it takes the C library's place for the library under test,
 * for the C++ runtime and for the C library itself. */
#ifndef PERCALE_TESTS_HOSTS_FAILING_MALLOC_H_
#define PERCALE_TESTS_HOSTS_FAILING_MALLOC_H_

#include <stdint.h>

/* 1 where the process's allocator can be replaced, which under a sanitizer it cannot. */
int failing_malloc_works(void);
/* From now on requests (blocks of memory, mappings, threads) are counted, and the `fail_at`-th of them (from 1 on; 0: none)
 * fails; with `persistent` all that follow as well. */
void failing_malloc_begin(int64_t fail_at, int persistent);
/* Ends it; how many requests there were, and how many of them failed. */
int64_t failing_malloc_end(int64_t* out_failed);
/* Blocks and mappings that are held now. */
int64_t failing_malloc_held(void);

#endif /* PERCALE_TESTS_HOSTS_FAILING_MALLOC_H_ */

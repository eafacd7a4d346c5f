/* The call that is measured in every language, made in C: y = x + x of one f32, on one thread. */
#ifndef PERCALE_TESTS_BENCH_CALLS_H_
#define PERCALE_TESTS_BENCH_CALLS_H_

#include <stdint.h>

#if defined(__GNUC__)
#define CALLS_API __attribute__((visibility("default")))
#else
#define CALLS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct calls calls;
struct percale_call;
struct percale_tensor;

/** Returns an engine with a session and a prepared call. On failure returns NULL and prints the
 * reason to stderr. */
CALLS_API calls* calls_open(void);
/** Runs the call `times` times, as a host in C would. Returns 1 if every run succeeded. */
CALLS_API int32_t calls_run(calls* c, int64_t times);
CALLS_API void calls_close(calls* c);
/** The same loop with the caller's call. Two calls may differ by a few ns because of their
 * addresses. */
CALLS_API int32_t calls_loop(struct percale_call* call, struct percale_tensor* const* inputs,
                             struct percale_tensor* const* outputs, int64_t times);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_TESTS_BENCH_CALLS_H_ */

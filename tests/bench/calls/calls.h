/* The call that every language is measured with, as C makes it: y = x + x of one f32, on one thread. */
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

/** An engine with a session and a prepared call; NULL, and the reason on stderr, when that fails. */
CALLS_API calls* calls_open(void);
/** Runs it so many times, as a host in C would. 1 when every run went well. */
CALLS_API int32_t calls_run(calls* c, int64_t times);
CALLS_API void calls_close(calls* c);
/** The same loop with a call of somebody else's: a few ns between two calls may be where their memory lies. */
CALLS_API int32_t calls_loop(struct percale_call* call, struct percale_tensor* const* inputs,
                             struct percale_tensor* const* outputs, int64_t times);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_TESTS_BENCH_CALLS_H_ */

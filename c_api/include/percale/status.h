/**
 * @file percale/status.h
 * Statuses, texts and cancellation tokens.
 */
#ifndef PERCALE_STATUS_H_
#define PERCALE_STATUS_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup status Statuses and texts
 * An error is a status: a code for the program and a message for a person. A text is a result of
 * unknown length. Both are immutable and thread-safe.
 *
 * @code
 * percale_text* json = NULL;
 * percale_status* status = percale_options_describe(&json);
 * if (status == NULL) puts(percale_text_data(json, NULL));
 * percale_text_release(json);
 * percale_status_release(status);
 * @endcode
 * @{
 */

/** Returns the code of a status; PERCALE_OK for NULL. \since 0.1 */
PERCALE_API percale_code percale_status_code(const percale_status* status);

/** Returns the message, NUL-ended and borrowed from the status; "" for NULL. `out_size` may be
 * NULL; it receives the number of bytes. \since 0.1 */
PERCALE_API const char* percale_status_message(const percale_status* status, size_t* out_size);

/** Returns the name of a code in upper case, such as "INVALID_ARGUMENT". Static. \since 0.1 */
PERCALE_API const char* percale_code_name(percale_code code);

/** Returns the name of an element type in lower case, such as "f32"; "invalid" for an unknown
 * number. Static. \since 0.1 */
PERCALE_API const char* percale_dtype_name(percale_dtype dtype);

/** Creates a status, for a function of the host that returns one to the library. `size` may be
 * PERCALE_NUL_ENDED. The message is copied. NULL for PERCALE_OK. Never fails: without memory it
 * returns a status that says so. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_status_create(percale_code code, const char* message,
                                                                    size_t size);

/** Adds a reference and returns `status`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_status* percale_status_retain(percale_status* status);

/** Releases a reference. NULL is allowed. \since 0.1 */
PERCALE_API void percale_status_release(percale_status* status);

/** Returns how many statuses of this process exist now, however many references each one has. For
 * tests that look for leaks. \since 0.1 */
PERCALE_API int64_t percale_status_live_count(void);

/** Returns the characters, NUL-ended and borrowed; "" for NULL. `out_size` may be NULL; it receives
 * the number of bytes. \since 0.1 */
PERCALE_API const char* percale_text_data(const percale_text* text, size_t* out_size);

/** Releases the text. NULL is allowed. \since 0.1 */
PERCALE_API void percale_text_release(percale_text* text);

/** @} */

/**
 * @defgroup cancellation Cancellation
 * A token that ends calls and trainers from any thread.
 *
 * @code
 * percale_cancellation* stop = NULL;
 * status = percale_cancellation_create(&stop);
 * percale_trainer_set_cancellation(trainer, stop);
 * // In another thread: percale_cancellation_cancel(stop);
 * @endcode
 * @{
 */

/** Creates a cancellation token for percale_call_run_until() and
 * percale_trainer_set_cancellation(). An asynchronous run is cancelled with
 * percale_event_cancel(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cancellation_create(percale_cancellation** out_cancellation);

/** Cancels every call and trainer that uses the token, now or later: they end with CANCELLED. Any
 * thread may call it; it never waits. NULL is allowed. \since 0.1 */
PERCALE_API void percale_cancellation_cancel(percale_cancellation* cancellation);

/** Returns 1 if the token was cancelled; 0 for NULL. \since 0.1 */
PERCALE_API int32_t percale_cancellation_poll(const percale_cancellation* cancellation);

/** Adds a reference and returns `cancellation`. `cancellation` may be NULL. \since 0.1 */
PERCALE_API percale_cancellation* percale_cancellation_retain(percale_cancellation* cancellation);

/** Releases a reference. Calls and trainers that use the token have references of their own.
 * `cancellation` may be NULL. \since 0.1 */
PERCALE_API void percale_cancellation_release(percale_cancellation* cancellation);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_STATUS_H_ */

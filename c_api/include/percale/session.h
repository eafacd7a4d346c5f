/**
 * @file percale/session.h
 * Running graphs: sessions, prepared calls, events.
 */
#ifndef PERCALE_SESSION_H_
#define PERCALE_SESSION_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup session Sessions
 * A session runs a graph. For each combination of feeds, their shapes, and fetches it compiles a
 * plan once and keeps it.
 *
 * @code
 * const char* const feeds[] = {"x"};
 * const char* const fetches[] = {"y"};
 * percale_tensor* y = NULL;
 * status = percale_session_run(session, feeds, &x, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &y);
 * @endcode
 * @{
 */

/** Creates a session for a graph. `variables` may be NULL if the graph has none, otherwise that is
 * INVALID_ARGUMENT. `options` of kind "session", or NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_create(percale_engine* engine, const percale_graph* graph,
                                                                     percale_variables* variables,
                                                                     const percale_options* options,
                                                                     percale_session** out_session);

/** Adds a reference and returns `session`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_session* percale_session_retain(percale_session* session);

/** Releases a reference. The last one cancels asynchronous runs and waits for them. NULL is
 * allowed. \since 0.1 */
PERCALE_API void percale_session_release(percale_session* session);

/** Computes the fetches and runs the targets, with everything that they need. Any value can be fed
 * or fetched by name; targets are names of nodes. On success `out_fetches[i]` is a new tensor. A
 * tensor of one element may be fed for a scalar, whatever its rank. `timeout_ns`: nanoseconds, or
 * PERCALE_FOREVER. DEADLINE_EXCEEDED: the time has passed, for 0 at once. NOT_FOUND names a
 * similar value. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_run(percale_session* session,
                                                                  const char* const* feed_names,
                                                                  percale_tensor* const* feeds, size_t feed_count,
                                                                  const char* const* fetch_names, size_t fetch_count,
                                                                  const char* const* target_names, size_t target_count,
                                                                  int64_t timeout_ns, percale_tensor** out_fetches);

/** As percale_session_run(), and tells the version of the variables that the run has read.
 * `out_variables_version` (may be NULL) is the number of the version, as
 * percale_variables_version() counts; 0 after an error, and for a graph without variables.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_run_versioned(
    percale_session* session, const char* const* feed_names, percale_tensor* const* feeds, size_t feed_count,
    const char* const* fetch_names, size_t fetch_count, const char* const* target_names, size_t target_count,
    int64_t timeout_ns, percale_tensor** out_fetches, int64_t* out_variables_version);

/** As percale_session_run(), on a thread of the engine. The event gives the results. The feeds are
 * kept until the run is done. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_run_async(
    percale_session* session, const char* const* feed_names, percale_tensor* const* feeds, size_t feed_count,
    const char* const* fetch_names, size_t fetch_count, const char* const* target_names, size_t target_count,
    int64_t timeout_ns, percale_event** out_event);

/** Ends every current run of the session with CANCELLED, also those of its calls. Later runs are
 * not affected. Any thread may call it. NULL is allowed. \since 0.1 */
PERCALE_API void percale_session_cancel(percale_session* session);

/** Explains the plan for feeds of the given types. `what`: "plan" (JSON: device, kernel, reason and
 * shapes of each node; cuts, bytes moved, predicted peak), "kernels" (JSON: the kernel of each
 * node, and why better ones refused it) or "passes" (JSON: node counts after each pass).
 * `feed_dims[i]` has `feed_ranks[i]` sizes. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_explain(
    percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes,
    const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
    size_t fetch_count, const char* what, percale_text** out_text);

/** As percale_graph_draw(), for the plan of feeds of the given types: the nodes that run, each with
 * its device and kernel, and the values that pass between devices. `trace` may be NULL.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_draw(
    percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes,
    const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
    size_t fetch_count, const char* format, const char* trace, percale_text** out_text);

/** Gives statistics as JSON: plans made, cache hits, runs, the peak of memory as planned for one
 * run at a time, and the measured peak of all runs and plans of the session. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_stats(const percale_session* session,
                                                                    percale_text** out_json);

/** @} */

/**
 * @defgroup call Prepared calls
 * A call has its plan compiled and its memory allocated. It is the fastest way to run, for a fixed
 * set of feeds and fetches and by one thread at a time.
 *
 * @code
 * status = percale_call_create(session, feeds, &dtype, &dims, &rank, 1, fetches, 1, &call);
 * while (status == NULL && next_request(x)) status = percale_call_run(call, &x, &y);
 * @endcode
 * @{
 */

/** Prepares runs with feeds of these element types and shapes. `feed_dims[i]` has `feed_ranks[i]`
 * sizes, all known. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_create(
    percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes,
    const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
    size_t fetch_count, percale_call** out_call);

/** Runs with the feeds in the order of creation. The results are written into `outputs`, tensors
 * with the element types and shapes of the fetches. Allocates nothing after the first runs.
 * INVALID_ARGUMENT: a tensor has another type. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_run(percale_call* call, percale_tensor* const* inputs,
                                                               percale_tensor* const* outputs);

/** As percale_call_run(), with a timeout and a cancellation token, each of which may end the run
 * before it begins. `timeout_ns`: nanoseconds, or PERCALE_FOREVER; then DEADLINE_EXCEEDED.
 * `cancellation` (may be NULL): then CANCELLED. After such an end the contents of `outputs` are
 * undefined and the call can be used again. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_run_until(percale_call* call, percale_tensor* const* inputs,
                                                                     percale_tensor* const* outputs, int64_t timeout_ns,
                                                                     percale_cancellation* cancellation);

/** Hands recurrent state from run to run: from now on the feed `feed` of a run is the fetch `fetch`
 * of the run before, such as a cache of keys and values. The state stays on the device that
 * computes, if that has memory of its own and can hold all of it.
 *
 * `inputs[feed]` starts the state in the first run, and again whenever it is given; NULL
 * continues. Several such feeds are given or left out together. `outputs[fetch]` may be NULL: then
 * the state is not copied to the host. A run that fails does not change the state. Not during a
 * run. OUT_OF_RANGE: no such feed or fetch. INVALID_ARGUMENT: it is handed on already.
 * FAILED_PRECONDITION: element types or shapes differ; from a run: there was no run before.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_carry(percale_call* call, size_t fetch, size_t feed);

/** Gives element type, dims and rank of a fetch. `out_dims` has room for 8. OUT_OF_RANGE past the
 * end. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_output_type(const percale_call* call, size_t index,
                                                                       percale_dtype* out_dtype, int64_t* out_dims,
                                                                       size_t* out_rank);

/** Returns the version of the variables that the last successful run has read, as
 * percale_variables_version() counts. 0 before the first run, for a graph without variables, and
 * for NULL. Not during a run. \since 0.1 */
PERCALE_API int64_t percale_call_variables_version(const percale_call* call);

/** Releases the call. NULL is allowed. \since 0.1 */
PERCALE_API void percale_call_release(percale_call* call);

/** @} */

/**
 * @defgroup event Asynchronous runs
 * The event of an asynchronous run is polled, waited for, or calls back.
 *
 * @code
 * percale_event* event = NULL;
 * status = percale_session_run_async(session, feeds, &x, 1, fetches, 1, NULL, 0, PERCALE_FOREVER,
 *                                    &event);
 * if (status == NULL) status = percale_event_wait(event, PERCALE_FOREVER);
 * if (status == NULL) status = percale_event_result(event, 0, &y);
 * percale_event_release(event);
 * @endcode
 * @{
 */

/** Returns 1 if the run is over; 0 for NULL. \since 0.1 */
PERCALE_API int32_t percale_event_poll(const percale_event* event);

/** Waits for the run and returns its status. DEADLINE_EXCEEDED: it is not over after `timeout_ns`
 * nanoseconds; the run continues. May be called again. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_event_wait(percale_event* event, int64_t timeout_ns);

/** Type of a function that is called exactly once when a run is over, also if the event was
 * released before: on the thread that ends the run, or at once on the thread of the caller if the
 * run is over already. It must not block: percale_session_run(), percale_session_run_versioned(),
 * percale_call_run(), percale_call_run_until(), percale_event_wait() for a run that is not over,
 * and calls of a trainer answer FAILED_PRECONDITION within it. It may take results, start
 * asynchronous runs, cancel, and release all but the last reference to the engine. \since 0.1 */
typedef void (*percale_event_callback)(void* user);

/** Registers a function to be called when the run is over. There may be several. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_event_on_ready(percale_event* event,
                                                                     percale_event_callback callback, void* user);

/** Ends the run with CANCELLED, also before it has started. Does nothing if it is over, and for
 * NULL. Any thread may call it. \since 0.1 */
PERCALE_API void percale_event_cancel(percale_event* event);

/** Gives a result of a run that has succeeded, in the order of the fetches. FAILED_PRECONDITION: it
 * is not over. OUT_OF_RANGE past the end. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_event_result(percale_event* event, size_t index,
                                                                   percale_tensor** out_tensor);

/** Returns the version of the variables that the run has read. 0 before it is over, if it failed,
 * for a graph without variables, and for NULL. Any thread may call it. \since 0.1 */
PERCALE_API int64_t percale_event_variables_version(const percale_event* event);

/** Adds a reference and returns `event`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_event* percale_event_retain(percale_event* event);

/** Releases a reference. NULL is allowed. \since 0.1 */
PERCALE_API void percale_event_release(percale_event* event);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_SESSION_H_ */

/* The engine, the graph and the tensors that the tests of sessions share, and the entry points of
 * their files. */
#ifndef PERCALE_TESTS_C_API_SESSION_SESSION_FIXTURE_H_
#define PERCALE_TESTS_C_API_SESSION_SESSION_FIXTURE_H_

#include "check.h"

extern percale_engine* engine; /* set by main() */

extern const float kX[4]; /* two rows of x */
extern const float kT[2]; /* two rows of t */

/* A tensor of floats with the dims {a} or {a, b}. `values` may be NULL. */
percale_tensor* floats(const float* values, size_t rank, int64_t a, int64_t b);

/* A node with one output. `b` is PERCALE_NO_VALUE if the op has one input. */
percale_value node2(percale_builder* builder, const char* op, const char* name, percale_value a, percale_value b);

/* y = x * w + b with x [?,2], w [2,1] a variable, b a constant; loss = mean((y - t)^2). If `target`
 * is not NULL, the graph has a training step, and `target` receives its name. */
percale_graph* make_graph(const char** target);

percale_session* make_session(const percale_graph* graph, percale_variables** variables);

/* Each runs the test cases of its file. */
void test_calls(void);
void test_events(void);
void test_explanations(void);

#endif /* PERCALE_TESTS_C_API_SESSION_SESSION_FIXTURE_H_ */

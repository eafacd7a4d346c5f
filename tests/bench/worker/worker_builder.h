/* Building blocks of workloads: data, graphs, prepared calls and trainers. */
#ifndef PERCALE_TESTS_BENCH_WORKER_WORKER_BUILDER_H_
#define PERCALE_TESTS_BENCH_WORKER_WORKER_BUILDER_H_

#include "worker.h"

extern percale_builder* builder; /* of the graph under construction */

/* Returns data that is never zero and the same in every process: uniform between -scale and
 * scale. */
percale_tensor* random_tensor(const int64_t* dims, size_t rank, float scale);
/* 0, 7, 14, ... below `classes`. */
percale_tensor* class_numbers(const int64_t* dims, size_t rank, int64_t classes);

void begin_graph(void);
/* Adds the next input, with a feed's dtype and shape. */
percale_value input(workload* w, const char* name, percale_tensor* feed);
/* The same for a batch of any size, which a trainer may divide into shards. */
percale_value batch_input(workload* w, const char* name, percale_tensor* feed);
/* These take ownership of the tensor. */
percale_value variable(percale_tensor* initial);
percale_value constant(percale_tensor* tensor);
/* A variable with random values. */
percale_value parameter(const int64_t* dims, size_t rank, float scale);
/* Constants: a scalar, a list. */
percale_value number(float value);
percale_value numbers(size_t count, const int64_t* values);
/* Attributes of the node may be set between the two calls. */
void begin_node(const char* op, int inputs, ...);
percale_value end_node(void);
percale_value op1(const char* op, percale_value a);
percale_value op2(const char* op, percale_value a, percale_value b);
percale_value cast(percale_value x, percale_dtype dtype);
percale_value dense(percale_value x, int64_t units, const char* activation);

/* End the graph: a prepared call that returns `y`, or a trainer of the mean loss `y`. */
void prepare(workload* w, percale_value y, const char* passes_off);
void prepare_several(workload* w, const percale_value* y, size_t count, const char* passes_off);
/* A call that returns a value for each feed; the next run takes it as the feed. The first value
 * is copied to the host. */
void prepare_carrying(workload* w, const percale_value* y);
void prepare_training(workload* w, percale_value y, const char* optimizer);

#endif

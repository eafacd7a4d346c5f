/* Single ops as links of a chain, so that the cost of a run is shared by many of them. The start
 * of the chain is in a variable, which stays on the device after the first run. A fed number
 * changes it in each run. An element of the end is returned. */
#include <math.h>
#include <stdlib.h>

#include "worker_builder.h"

static percale_value fed(workload* w, float scale) { return input(w, "a", random_tensor(NULL, 0, scale)); }

/* An element of `x` that depends on all of it. */
static percale_value corner(percale_value x) {
  static const int64_t kFrom[1] = {0}, kTo[1] = {1}, kFlat[1] = {-1};
  begin_node("Slice", 3, op2("Reshape", x, numbers(1, kFlat)), numbers(1, kFrom), numbers(1, kTo));
  return cast(end_node(), PERCALE_DTYPE_F32);
}

/* [rows, size], changed by a feed in each run. */
static percale_value begin_chain(workload* w, const int64_t* dims, int64_t bits, float scale) {
  const percale_dtype dtype = bits == 16 ? PERCALE_DTYPE_BF16 : PERCALE_DTYPE_F32;
  begin_graph();
  return op2("Mul", cast(parameter(dims, 2, scale), dtype), cast(fed(w, 1), dtype));
}

/* LINKS,SIZE: products of bf16. */
static void make_product(workload* w) {
  int64_t n[kMaxSizes];
  sizes(w, 2, n);
  const int64_t dims[2] = {n[1], n[1]};
  percale_value x = begin_chain(w, dims, 16, 1);
  percale_value by = cast(parameter(dims, 2, sqrtf(3.0f / (float)n[1])), PERCALE_DTYPE_BF16);
  for (int64_t i = 0; i < n[0]; ++i) x = op2("MatMul", x, by);
  prepare(w, corner(x), NULL);
}

/* LINKS,TENSORS,ELEMENTS of each: steps of AdamW. */
static void make_adamw(workload* w) {
  int64_t n[kMaxSizes];
  percale_value rate, step, sum = PERCALE_NO_VALUE;
  percale_tensor* first;
  sizes(w, 3, n);
  ok(percale_tensor_create(engine, PERCALE_DTYPE_I64, NULL, 0, &first));
  *(int64_t*)percale_tensor_get_data(first) = 1;
  begin_graph();
  rate = fed(w, 0.001f), step = constant(first);
  for (int64_t t = 0; t < n[1]; ++t) {
    percale_value state[3], gradient = parameter(n + 2, 1, 0.01f);
    state[0] = parameter(n + 2, 1, 1), state[1] = parameter(n + 2, 1, 0.01f);
    /* computed once, with the copy to the device */
    state[2] = op1("Abs", parameter(n + 2, 1, 0.01f));
    for (int64_t i = 0; i < n[0]; ++i) {
      begin_node("percale:ApplyAdamW", 6, state[0], gradient, state[1], state[2], rate, step);
      ok(percale_builder_finish_node(builder, 3, state));
    }
    sum = sum == PERCALE_NO_VALUE ? corner(state[0]) : op2("Add", sum, corner(state[0]));
  }
  prepare(w, sum, NULL);
}

/* LINKS,ROWS,SIZE,BITS: the chain alone, or with the gradients of all its operands. */
static void rows_of(workload* w, int norm, int backward) {
  int64_t n[kMaxSizes];
  percale_value y, xs[3], gradients[3], sum;
  const size_t count = norm ? 3 : 1;
  sizes(w, 4, n);
  const percale_dtype dtype = n[3] == 16 ? PERCALE_DTYPE_BF16 : PERCALE_DTYPE_F32;
  y = xs[0] = begin_chain(w, n + 1, n[3], 1);
  if (norm) xs[1] = cast(parameter(n + 2, 1, 1), dtype), xs[2] = cast(parameter(n + 2, 1, 0.1f), dtype);
  for (int64_t i = 0; i < n[0]; ++i) {
    if (norm) {
      begin_node("LayerNormalization", 3, y, xs[1], xs[2]);
      y = end_node();
    } else {
      y = op1("Softmax", y);
    }
  }
  sum = corner(y);
  /* Gradients of the sum of its products with numbers: the plain sum has a gradient of zero. */
  if (backward) {
    y = op2("Mul", y, cast(parameter(n + 1, 2, 1), dtype));
    ok(percale_builder_gradients(builder, &y, 1, xs, count, gradients));
    for (size_t i = 0; i < count; ++i) sum = op2("Add", sum, corner(gradients[i]));
  }
  prepare(w, sum, NULL);
}
static void make_layer_norm(workload* w) { rows_of(w, 1, 0); }
static void make_layer_norm_grad(workload* w) { rows_of(w, 1, 1); }
static void make_softmax(workload* w) { rows_of(w, 0, 0); }
static void make_softmax_grad(workload* w) { rows_of(w, 0, 1); }

/* LINKS,ROWS,CLASSES,BITS: loss and gradient; the gradient is the next link's scores. */
static void make_cross_entropy(workload* w) {
  int64_t n[kMaxSizes];
  percale_value x, labels, loss, gradient, sum = PERCALE_NO_VALUE;
  sizes(w, 4, n);
  x = begin_chain(w, n + 1, n[3], 8);
  labels = constant(class_numbers(n + 1, 1, n[2]));
  for (int64_t i = 0; i < n[0]; ++i) {
    loss = op2("SoftmaxCrossEntropyLoss", x, labels);
    ok(percale_builder_gradients(builder, &loss, 1, &x, 1, &gradient));
    x = gradient;
    sum = sum == PERCALE_NO_VALUE ? corner(loss) : op2("Add", sum, corner(loss));
  }
  prepare(w, op2("Add", sum, corner(x)), NULL);
}

const maker kOpWorkloads[] = {
    {"product:", make_product},
    {"adamw:", make_adamw},
    {"layer_norm:", make_layer_norm},
    {"layer_norm_grad:", make_layer_norm_grad},
    {"softmax:", make_softmax},
    {"softmax_grad:", make_softmax_grad},
    {"cross_entropy:", make_cross_entropy},
    {NULL, NULL},
};

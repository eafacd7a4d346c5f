/* Well-known nets of given sizes, made with the builder, in f32. The option `precision` of
 * sessions and trainers converts them to bf16. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker_builder.h"

static percale_value linear(percale_value x, int64_t inputs, int64_t outputs) {
  const int64_t dims[2] = {inputs, outputs};
  percale_value y = op2("MatMul", x, parameter(dims, 2, sqrtf(3.0f / (float)inputs)));
  return op2("Add", y, parameter(dims + 1, 1, 0.1f));
}

static percale_value layer_norm(percale_value x, int64_t width) {
  percale_value scale = parameter(&width, 1, 1), bias = parameter(&width, 1, 0.1f);
  begin_node("LayerNormalization", 3, x, scale, bias);
  return end_node();
}

/* The mean cross-entropy of the scores [rows, classes]. */
static percale_value loss_of(percale_value scores, percale_value labels) {
  return op2("SoftmaxCrossEntropyLoss", scores, labels);
}

/* ---- ResNet-50 (He et al. 2015). */
static percale_value conv_norm(percale_value x, int64_t inputs, int64_t outputs, int64_t kernel, int64_t stride) {
  const int64_t dims[4] = {outputs, inputs, kernel, kernel}, strides[2] = {stride, stride}, pad = kernel / 2,
                pads[4] = {pad, pad, pad, pad};
  percale_value w = parameter(dims, 4, sqrtf(6.0f / (float)(inputs * kernel * kernel))), of_channel[4];
  begin_node("Conv", 2, x, w);
  ok(percale_builder_set_ints(builder, "strides", strides, 2));
  ok(percale_builder_set_ints(builder, "pads", pads, 4));
  x = end_node();
  for (int i = 0; i < 4; ++i) { /* scale, bias, mean, variance; the last is positive */
    percale_tensor* start = random_tensor(&outputs, 1, 0.1f);
    for (int64_t k = 0; i % 3 == 0 && k < outputs; ++k) ((float*)percale_tensor_get_data(start))[k] += 1;
    of_channel[i] = variable(start);
  }
  begin_node("BatchNormalization", 5, x, of_channel[0], of_channel[1], of_channel[2], of_channel[3]);
  return end_node();
}

static percale_value bottleneck(percale_value x, int64_t inputs, int64_t width, int64_t stride) {
  percale_value y = op1("Relu", conv_norm(x, inputs, width, 1, 1));
  y = op1("Relu", conv_norm(y, width, width, 3, stride));
  y = conv_norm(y, width, 4 * width, 1, 1);
  if (inputs != 4 * width) x = conv_norm(x, inputs, 4 * width, 1, stride);
  return op1("Relu", op2("Add", y, x));
}

static percale_value resnet50(percale_value x, int64_t width) {
  static const int kBlocks[4] = {3, 4, 6, 3};
  static const int64_t kWindow[2] = {3, 3}, kStrides[2] = {2, 2}, kPads[4] = {1, 1, 1, 1};
  int64_t inputs = width;
  x = op1("Relu", conv_norm(x, 3, width, 7, 2));
  begin_node("MaxPool", 1, x);
  ok(percale_builder_set_ints(builder, "kernel_shape", kWindow, 2));
  ok(percale_builder_set_ints(builder, "strides", kStrides, 2));
  ok(percale_builder_set_ints(builder, "pads", kPads, 4));
  x = end_node();
  for (int stage = 0; stage < 4; ++stage, width *= 2) {
    for (int i = 0; i < kBlocks[stage]; ++i, inputs = 4 * width) {
      x = bottleneck(x, inputs, width, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  return linear(op1("Flatten", op1("GlobalAveragePool", x)), inputs, 1000);
}

static percale_value images(workload* w, int64_t batch, int64_t side) {
  const int64_t dims[4] = {batch, 3, side, side};
  return input(w, "x", random_tensor(dims, 4, 1));
}

/* BATCH,SIDE,WIDTH; WIDTH is 64 */
static void make_resnet50(workload* w) {
  int64_t n[kMaxSizes];
  sizes(w, 3, n);
  begin_graph();
  prepare(w, resnet50(images(w, n[0], n[1]), n[2]), NULL);
}

/* BATCH,SIDE,WIDTH */
static void make_resnet50_train(workload* w) {
  int64_t n[kMaxSizes];
  percale_value x, y;
  sizes(w, 3, n);
  begin_graph();
  x = images(w, n[0], n[1]), y = input(w, "y", class_numbers(n, 1, 1000));
  prepare_training(w, loss_of(resnet50(x, n[2]), y), "{\"name\": \"sgd\", \"learning_rate\": 0.01, \"momentum\": 0.9}");
}

/* ---- Transformers: BERT (Devlin et al. 2018) without the pooler, GPT-2 (Radford et al. 2019). */
typedef struct transformer {
  int64_t layers, width, heads, words, batch, tokens;
} transformer;

static percale_value transposed(percale_value x, const int64_t* order) {
  begin_node("Transpose", 1, x);
  ok(percale_builder_set_ints(builder, "perm", order, 4));
  return end_node();
}

/* `mask` is added to the scores. */
static percale_value attention(const transformer* t, percale_value x, percale_value mask) {
  static const int64_t kHeadsFirst[4] = {0, 2, 1, 3}, kKeysLast[4] = {0, 2, 3, 1};
  const int64_t split[4] = {t->batch, t->tokens, t->heads, t->width / t->heads},
                joined[3] = {t->batch, t->tokens, t->width};
  percale_value qkv[3], y;
  begin_node("Split", 1, linear(x, t->width, 3 * t->width));
  ok(percale_builder_set_int(builder, "axis", 2));
  ok(percale_builder_set_int(builder, "num_outputs", 3));
  ok(percale_builder_finish_node(builder, 3, qkv));
  for (int i = 0; i < 3; ++i) {
    qkv[i] = transposed(op2("Reshape", qkv[i], numbers(4, split)), i == 1 ? kKeysLast : kHeadsFirst);
  }
  y = op2("Mul", op2("MatMul", qkv[0], qkv[1]), number(1 / sqrtf((float)split[3])));
  y = op2("MatMul", op1("Softmax", op2("Add", y, mask)), qkv[2]);
  return linear(op2("Reshape", transposed(y, kHeadsFirst), numbers(3, joined)), t->width, t->width);
}

static percale_value feed_forward(const transformer* t, percale_value x, const char* approximate) {
  begin_node("Gelu", 1, linear(x, t->width, 4 * t->width));
  ok(percale_builder_set_string(builder, "approximate", approximate));
  return linear(end_node(), 4 * t->width, t->width);
}

static percale_value embedding(percale_value table, percale_value tokens) { return op2("Gather", table, tokens); }
static percale_value table(int64_t rows, int64_t width) {
  const int64_t dims[2] = {rows, width};
  return parameter(dims, 2, 0.04f);
}

/* LAYERS,WIDTH,HEADS,WORDS,BATCH,TOKENS */
static void make_bert(workload* w) {
  transformer t;
  int64_t n[kMaxSizes];
  percale_tensor* mask_feed;
  percale_value tokens, kinds, mask, x;
  sizes(w, 6, n);
  t = (transformer){n[0], n[1], n[2], n[3], n[4], n[5]};
  const int64_t dims[2] = {t.batch, t.tokens}, mask_dims[4] = {t.batch, 1, 1, t.tokens};
  begin_graph();
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, mask_dims, 4, &mask_feed));
  for (int64_t i = 0; i < t.batch * t.tokens; ++i) ((float*)percale_tensor_get_data(mask_feed))[i] = 1;
  tokens = input(w, "tokens", class_numbers(dims, 2, t.words));
  kinds = input(w, "kinds", class_numbers(dims, 2, 2));
  mask = input(w, "mask", mask_feed); /* 1: a word */
  mask = op2("Mul", op2("Sub", number(1), mask), number(-10000));
  x = op2("Add", embedding(table(t.words, t.width), tokens), embedding(table(2, t.width), kinds));
  x = layer_norm(op2("Add", x, table(t.tokens, t.width)), t.width);
  for (int64_t i = 0; i < t.layers; ++i) {
    x = layer_norm(op2("Add", x, attention(&t, x, mask)), t.width);
    x = layer_norm(op2("Add", x, feed_forward(&t, x, "none")), t.width);
  }
  prepare(w, x, NULL);
}

/* LAYERS,WIDTH,HEADS,WORDS,BATCH,TOKENS */
static void make_gpt2_train(workload* w) {
  static const int64_t kOneRow[1] = {-1};
  transformer t;
  int64_t n[kMaxSizes];
  percale_tensor* causal;
  percale_value tokens, labels, words, mask, x;
  sizes(w, 6, n);
  t = (transformer){n[0], n[1], n[2], n[3], n[4], n[5]};
  const int64_t dims[2] = {t.batch, t.tokens}, mask_dims[2] = {t.tokens, t.tokens},
                rows[2] = {t.batch * t.tokens, t.width};
  begin_graph();
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, mask_dims, 2, &causal));
  for (int64_t i = 0; i < t.tokens * t.tokens; ++i) {
    ((float*)percale_tensor_get_data(causal))[i] = i % t.tokens <= i / t.tokens ? 0 : -INFINITY;
  }
  mask = constant(causal);
  tokens = input(w, "x", class_numbers(dims, 2, t.words)), labels = input(w, "y", class_numbers(dims, 2, t.words));
  words = table(t.words, t.width); /* also the weight of the last product */
  x = op2("Add", embedding(words, tokens), table(t.tokens, t.width));
  for (int64_t i = 0; i < t.layers; ++i) {
    x = op2("Add", x, attention(&t, layer_norm(x, t.width), mask));
    x = op2("Add", x, feed_forward(&t, layer_norm(x, t.width), "tanh"));
  }
  x = op2("Reshape", layer_norm(x, t.width), numbers(2, rows));
  x = op2("MatMul", x, op1("Transpose", words));
  prepare_training(w, loss_of(x, op2("Reshape", labels, numbers(1, kOneRow))),
                   "{\"name\": \"adamw\", \"learning_rate\": 0.0001}");
}

/* Attention of one word: q sees the cached keys and values, and its own, which are written where
 * `here` is true. */
static percale_value cached_attention(const transformer* t, percale_value x, percale_value mask, percale_value here,
                                      percale_value* kept) {
  static const int64_t kHeadsFirst[4] = {0, 2, 1, 3}, kKeysLast[4] = {0, 1, 3, 2};
  const int64_t split[4] = {1, 1, t->heads, t->width / t->heads}, joined[3] = {1, 1, t->width};
  percale_value qkv[3], y;
  begin_node("Split", 1, linear(x, t->width, 3 * t->width));
  ok(percale_builder_set_int(builder, "axis", 2));
  ok(percale_builder_set_int(builder, "num_outputs", 3));
  ok(percale_builder_finish_node(builder, 3, qkv));
  for (int i = 0; i < 3; ++i) {
    qkv[i] = transposed(op2("Reshape", qkv[i], numbers(4, split)), kHeadsFirst);
    if (i == 0) continue;
    begin_node("Where", 3, here, cast(qkv[i], PERCALE_DTYPE_BF16), kept[i - 1]);
    kept[i - 1] = end_node();
    qkv[i] = cast(kept[i - 1], PERCALE_DTYPE_F32);
  }
  y = op2("Mul", op2("MatMul", qkv[0], transposed(qkv[1], kKeysLast)), number(1 / sqrtf((float)split[3])));
  y = op2("MatMul", op1("Softmax", op2("Add", y, mask)), qkv[2]);
  return linear(op2("Reshape", transposed(y, kHeadsFirst), numbers(3, joined)), t->width, t->width);
}

static percale_value slots(int64_t count, size_t rank, const int64_t* dims) {
  percale_tensor* tensor;
  ok(percale_tensor_create(engine, PERCALE_DTYPE_I64, dims, rank, &tensor));
  for (int64_t i = 0; i < count; ++i) ((int64_t*)percale_tensor_get_data(tensor))[i] = i;
  return constant(tensor);
}

/* LAYERS,WIDTH,HEADS,WORDS,LENGTH: decodes the next word, the one with the highest score, with a
 * cache of keys and values. After LENGTH words the cache is overwritten from the start. */
static void make_gpt2_decode(workload* w) {
  static const char* const kKept[] = {"k0", "v0", "k1", "v1", "k2", "v2", "k3", "v3", "k4",  "v4",  "k5",  "v5",
                                      "k6", "v6", "k7", "v7", "k8", "v8", "k9", "v9", "k10", "v10", "k11", "v11"};
  static const int64_t kOne[2] = {1, 1};
  transformer t;
  int64_t n[kMaxSizes];
  percale_value position, words, mask, here, x, y[kMaxValues];
  sizes(w, 5, n);
  if (n[0] > 12) printf("error: %s: wanted 12 layers or fewer\n", w->name), exit(1);
  t = (transformer){n[0], n[1], n[2], n[3], 1, n[4]};
  const int64_t rows[4] = {1, 1, t.tokens, 1}, row[4] = {1, 1, 1, t.tokens},
                cache[4] = {1, t.heads, t.tokens, t.width / t.heads}, last[2] = {1, t.width};
  begin_graph();
  x = input(w, "word", class_numbers(kOne, 2, t.words)),
  position = input(w, "position", class_numbers(kOne, 1, t.tokens));
  for (int64_t i = 0; i < 2 * t.layers; ++i) {
    percale_tensor* empty;
    ok(percale_tensor_create(engine, PERCALE_DTYPE_BF16, cache, 4, &empty));
    memset(percale_tensor_get_data(empty), 0, percale_tensor_bytes(empty));
    y[2 + i] = input(w, kKept[i], empty);
  }
  words = table(t.words, t.width); /* also the weight of the last product */
  x = op2("Add", embedding(words, x), embedding(table(t.tokens, t.width), position));
  here = op2("Equal", slots(t.tokens, 4, rows), position);
  begin_node("Where", 3, op2("LessOrEqual", slots(t.tokens, 4, row), position), number(0), number(-INFINITY));
  mask = end_node();
  for (int64_t i = 0; i < t.layers; ++i) {
    x = op2("Add", x, cached_attention(&t, layer_norm(x, t.width), mask, here, y + 2 + 2 * i));
    x = op2("Add", x, feed_forward(&t, layer_norm(x, t.width), "tanh"));
  }
  x = op2("MatMul", op2("Reshape", layer_norm(x, t.width), numbers(2, last)), op1("Transpose", words));
  begin_node("ArgMax", 1, x);
  ok(percale_builder_set_int(builder, "axis", 1));
  y[0] = end_node();
  y[1] = op2("Mod", op2("Add", position, numbers(1, kOne)), numbers(1, &t.tokens));
  prepare_carrying(w, y);
}

/* TIME,BATCH,INPUTS,HIDDEN: an LSTM layer with the mean square of its outputs as loss. */
static void make_lstm_train(workload* w) {
  int64_t n[kMaxSizes];
  percale_value x, weights, recurrent, bias, outputs[3];
  sizes(w, 4, n);
  const int64_t dims[3] = {n[1], n[0], n[2]}, w_dims[3] = {1, 4 * n[3], n[2]}, r_dims[3] = {1, 4 * n[3], n[3]},
                b_dims[2] = {1, 8 * n[3]}, time_first[3] = {1, 0, 2};
  const float scale = 1 / sqrtf((float)n[3]);
  begin_graph();
  x = input(w, "x", random_tensor(dims, 3, 1));
  weights = parameter(w_dims, 3, scale), recurrent = parameter(r_dims, 3, scale), bias = parameter(b_dims, 2, scale);
  begin_node("Transpose", 1, x);
  ok(percale_builder_set_ints(builder, "perm", time_first, 3));
  x = end_node();
  begin_node("LSTM", 4, x, weights, recurrent, bias);
  ok(percale_builder_set_int(builder, "hidden_size", n[3]));
  ok(percale_builder_finish_node(builder, 3, outputs));
  begin_node("ReduceMean", 1, op2("Mul", outputs[0], outputs[0]));
  ok(percale_builder_set_int(builder, "keepdims", 0));
  prepare_training(w, end_node(), "{\"name\": \"sgd\", \"learning_rate\": 0.01}");
}

/* BATCH,INPUTS,...,CLASSES: dense layers with ReLU between them. */
static void dense_train(workload* w, const char* optimizer) {
  int64_t n[kMaxSizes];
  const size_t count = sizes(w, 3, n);
  percale_value x, y;
  begin_graph();
  x = batch_input(w, "x", random_tensor(n, 2, 1)), y = batch_input(w, "y", class_numbers(n, 1, n[count - 1]));
  for (size_t i = 1; i + 1 < count; ++i) {
    x = linear(x, n[i], n[i + 1]);
    if (i + 2 < count) x = op1("Relu", x);
  }
  prepare_training(w, loss_of(x, y), optimizer);
}
static void make_dense_adam(workload* w) { dense_train(w, "{\"name\": \"adam\", \"learning_rate\": 0.001}"); }
static void make_dense_sgd(workload* w) { dense_train(w, "{\"name\": \"sgd\", \"learning_rate\": 0.001}"); }

const maker kNetWorkloads[] = {
    {"resnet50:", make_resnet50},     {"resnet50_train:", make_resnet50_train}, {"bert:", make_bert},
    {"gpt2_train:", make_gpt2_train}, {"gpt2_decode:", make_gpt2_decode},       {"lstm_train:", make_lstm_train},
    {"dense_adam:", make_dense_adam}, {"dense_sgd:", make_dense_sgd},           {NULL, NULL},
};

/* Builds a LeNet, trains it on MNIST with sessions, and counts the digits that it gets right.
 *   lenet DATA [EPOCHS [OPS]]
 * DATA is the folder of MNIST's four IDX files. OPS gets the names of the ops that the program
 * uses, for a library that has no others (docs/guides/small-builds.md). */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 28, PIXELS = SIDE * SIDE, CLASSES = 10, BATCH = 100 };

/* Images and their labels. */
typedef struct digits {
  int64_t count;
  unsigned char *pixels, *labels;
} digits;

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "lenet: %s: %s\n", percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

static void fail(const char* path, const char* why) {
  fprintf(stderr, "lenet: %s: %s\n", path, why);
  exit(1);
}

/* Reads an IDX file of bytes and sets the number of its items. */
static unsigned char* read_idx(const char* folder, const char* name, size_t item_bytes, int64_t* count) {
  unsigned char head[16], *bytes;
  const size_t head_bytes = item_bytes == 1 ? 8 : 16;
  char path[4096];
  FILE* file;
  size_t size;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if ((file = fopen(path, "rb")) == NULL) fail(path, "no such file; wanted one of MNIST's, unpacked");
  if (fread(head, 1, head_bytes, file) != head_bytes || head[2] != 8) fail(path, "this is no IDX file of bytes");
  *count = (int64_t)head[4] << 24 | head[5] << 16 | head[6] << 8 | head[7];
  size = (size_t)*count * item_bytes;
  if ((bytes = malloc(size)) == NULL) fail(path, "there is not enough memory for it");
  if (fread(bytes, 1, size, file) != size) fail(path, "it is shorter than its head says");
  fclose(file);
  return bytes;
}

static digits read_digits(const char* folder, const char* images, const char* labels) {
  digits d;
  int64_t labelled;
  d.pixels = read_idx(folder, images, PIXELS, &d.count);
  d.labels = read_idx(folder, labels, 1, &labelled);
  if (labelled != d.count) fail(folder, "it has more or fewer labels than images");
  return d;
}

/* Adds a layer with up to two sizes, and returns its output. */
static percale_value layer(percale_builder* builder, const char* kind, const char* name, percale_value x,
                           const char* size, int64_t value, int64_t kernel, int relu) {
  percale_value y;
  ok(percale_builder_layer(builder, kind, name));
  ok(percale_builder_add_input(builder, x));
  if (size != NULL) ok(percale_builder_set_int(builder, size, value));
  if (kernel != 0) {
    ok(percale_builder_set_int(builder, "kernel_size", kernel));
    ok(percale_builder_set_string(builder, "padding", "same"));
  }
  if (relu) ok(percale_builder_set_string(builder, "activation", "relu"));
  ok(percale_builder_finish_node(builder, 1, &y));
  return y;
}

/* Returns the graph of the network and its training step. `*step`, the target that runs the step,
 * is a text of the builder. */
static percale_graph* build(percale_builder* builder, const char** step) {
  const int64_t x_dims[4] = {-1, SIDE, SIDE, 1}, label_dims[1] = {-1};
  percale_graph* graph;
  percale_value x, labels, y, loss;
  ok(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 4, &x));
  ok(percale_builder_input(builder, "labels", PERCALE_DTYPE_I64, label_dims, 1, &labels));
  y = layer(builder, "Conv2D", "conv_1", x, "filters", 16, 5, 1);
  y = layer(builder, "MaxPooling2D", "pool_1", y, "pool_size", 2, 0, 0);
  y = layer(builder, "Conv2D", "conv_2", y, "filters", 32, 5, 1);
  y = layer(builder, "MaxPooling2D", "pool_2", y, "pool_size", 2, 0, 0);
  y = layer(builder, "Flatten", "flat", y, NULL, 0, 0, 0);
  y = layer(builder, "Dense", "hidden", y, "units", 128, 0, 1);
  y = layer(builder, "Dense", "scores", y, "units", CLASSES, 0, 0);
  ok(percale_builder_node(builder, "SoftmaxCrossEntropyLoss", "loss"));
  ok(percale_builder_add_input(builder, y));
  ok(percale_builder_add_input(builder, labels));
  ok(percale_builder_finish_node(builder, 1, &loss));
  ok(percale_builder_minimize(builder, loss, "adam", step));
  ok(percale_builder_finish(builder, &graph));
  return graph;
}

/* Returns rows of an array as a tensor that views it. */
static percale_tensor* view(percale_dtype dtype, void* data, size_t bytes, int64_t rows, int image) {
  const int64_t dims[4] = {rows, SIDE, SIDE, 1};
  percale_tensor* tensor;
  ok(percale_tensor_from_memory(dtype, dims, image ? 4 : 1, data, bytes, NULL, NULL, &tensor));
  return tensor;
}

/* Runs the session on rows of `d`: the step if it is not NULL, else the scores. Returns the loss,
 * or the number of digits that have the highest score. */
static double run(percale_session* session, const digits* d, const int64_t* order, int64_t rows, const char* step) {
  static float pixels[BATCH * PIXELS];
  static int64_t labels[BATCH];
  const char *const feeds[] = {"x", "labels"}, *const fetch = step != NULL ? "loss" : "scores";
  percale_tensor *given[2], *got;
  const float* values;
  double out = 0;
  int64_t i, k;
  for (i = 0; i < rows; ++i) {
    const unsigned char* from = d->pixels + order[i] * PIXELS;
    for (k = 0; k < PIXELS; ++k) pixels[i * PIXELS + k] = (float)from[k] / 255;
    labels[i] = d->labels[order[i]];
  }
  given[0] = view(PERCALE_DTYPE_F32, pixels, (size_t)rows * PIXELS * sizeof pixels[0], rows, 1);
  given[1] = view(PERCALE_DTYPE_I64, labels, (size_t)rows * sizeof labels[0], rows, 0);
  ok(percale_session_run(session, feeds, given, step != NULL ? 2 : 1, &fetch, 1, &step, step != NULL, PERCALE_FOREVER,
                         &got));
  values = (const float*)percale_tensor_get_data(got);
  if (step != NULL) out = values[0];
  for (i = 0; step == NULL && i < rows; ++i) {
    int64_t best = 0;
    for (k = 1; k < CLASSES; ++k) {
      if (values[i * CLASSES + k] > values[i * CLASSES + best]) best = k;
    }
    out += best == labels[i];
  }
  percale_tensor_release(got);
  percale_tensor_release(given[0]);
  percale_tensor_release(given[1]);
  return out;
}

/* Puts 0 to count - 1 into the order of a linear congruential generator (Knuth's constants). */
static void shuffle(int64_t* order, int64_t count, uint64_t* state) {
  int64_t i;
  for (i = count - 1; i > 0; --i) {
    int64_t other, kept = order[i];
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    other = (int64_t)((*state >> 33) % (uint64_t)(i + 1));
    order[i] = order[other], order[other] = kept;
  }
}

static int64_t* in_order(int64_t count) {
  int64_t *order = malloc((size_t)count * sizeof *order), i;
  if (order == NULL) fail("the digits", "there is not enough memory for them");
  for (i = 0; i < count; ++i) order[i] = i;
  return order;
}

static double accuracy(percale_session* session, const digits* d) {
  int64_t *order = in_order(d->count), at;
  double right = 0;
  for (at = 0; at < d->count; at += BATCH) {
    right += run(session, d, order + at, d->count - at < BATCH ? d->count - at : BATCH, NULL);
  }
  free(order);
  return right / (double)d->count;
}

/* Writes the names of the ops that the engine was asked for, one a line. The engine gives them as a
 * JSON array. */
static void write_ops(percale_engine* engine, const char* path) {
  FILE* file = fopen(path, "w");
  percale_text* text;
  const char* at;
  if (file == NULL) fail(path, "it cannot be written");
  ok(percale_engine_describe(engine, "asked_ops", &text));
  for (at = percale_text_data(text, NULL); *at != '\0'; ++at) {
    if (strchr("[]\" \n", *at) == NULL) fputc(*at == ',' ? '\n' : *at, file);
  }
  fputc('\n', file);
  percale_text_release(text);
  if (fclose(file) != 0) fail(path, "it cannot be written");
}

int main(int argc, char** argv) {
  const int64_t epochs = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
  percale_engine* engine;
  percale_builder* builder;
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;
  percale_text* digest;
  const char* step;
  digits train, test;
  uint64_t state = 1;
  int64_t *order, epoch, at;

  if (argc < 2 || argc > 4) {
    fputs("usage: lenet DATA [EPOCHS [OPS]]\n", stderr);
    return 2;
  }
  train = read_digits(argv[1], "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
  test = read_digits(argv[1], "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
  ok(percale_engine_create(NULL, &engine));
  ok(percale_builder_create(engine, &builder));
  graph = build(builder, &step);
  ok(percale_variables_create(engine, graph, 1, &variables)); /* initialised with seed 1 */
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  order = in_order(train.count);
  for (epoch = 0; epoch < epochs; ++epoch) {
    double loss = 0;
    shuffle(order, train.count, &state);
    for (at = 0; at + BATCH <= train.count; at += BATCH) loss += run(session, &train, order + at, BATCH, step);
    printf("epoch %d  loss %.4f  ", (int)epoch + 1, loss * BATCH / (double)train.count);
    printf("test accuracy %.4f\n", accuracy(session, &test));
  }
  ok(percale_variables_digest(variables, &digest));
  printf("digest %s\n", percale_text_data(digest, NULL));
  if (argc > 3) write_ops(engine, argv[3]);

  percale_text_release(digest);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_builder_release(builder);
  percale_engine_release(engine);
  free(order);
  free(train.pixels), free(train.labels);
  free(test.pixels), free(test.labels);
  return 0;
}

/* Four kernels for f32, as short as a kernel can be. Each refuses unsupported nodes with a reason,
 * plans the state that concurrent runs share, cuts its work into pieces that depend on the size
 * only, and stops early when the run is cancelled. */
#include <stdlib.h>
#include <string.h>

#include "devices/null/plugin.h"

#define PIECE 16384 /* elements */

/* Passed from plan() to run(). Immutable. */
typedef struct {
  null_plugin* plugin;
  int64_t count;
} plan_state;

/* The arguments of the pieces of one run. */
typedef struct {
  const percale_host_api* host;
  const percale_launch* launch;
  int64_t count;
} job;

/* The elements of a piece. The piece is empty if the run has been cancelled. */
static int64_t piece_begin(int64_t piece) { return piece * PIECE; }
static int64_t piece_end(const job* work, int64_t piece) {
  const int64_t end = piece_begin(piece) + PIECE;
  if (work->host->run->cancelled(work->launch->run)) return piece_begin(piece);
  return end < work->count ? end : work->count;
}

static void identity_piece(void* arg, int64_t piece) {
  const job* work = arg;
  const float* x = work->launch->operands[0];
  float* y = work->launch->operands[1];
  const int64_t end = piece_end(work, piece);
  int64_t i;
  for (i = piece_begin(piece); i < end; ++i) y[i] = x[i];
}

static void relu_piece(void* arg, int64_t piece) {
  const job* work = arg;
  const float* x = work->launch->operands[0];
  float* y = work->launch->operands[1];
  const int64_t end = piece_end(work, piece);
  int64_t i;
  for (i = piece_begin(piece); i < end; ++i) y[i] = x[i] < 0.0f ? 0.0f : x[i]; /* NaN stays NaN */
}

static void add_piece(void* arg, int64_t piece) {
  const job* work = arg;
  const float *a = work->launch->operands[0], *b = work->launch->operands[1];
  float* y = work->launch->operands[2];
  const int64_t end = piece_end(work, piece);
  int64_t i;
  for (i = piece_begin(piece); i < end; ++i) y[i] = a[i] + b[i];
}

static void mul_piece(void* arg, int64_t piece) {
  const job* work = arg;
  const float *a = work->launch->operands[0], *b = work->launch->operands[1];
  float* y = work->launch->operands[2];
  const int64_t end = piece_end(work, piece);
  int64_t i;
  for (i = piece_begin(piece); i < end; ++i) y[i] = a[i] * b[i];
}

static void run_pieces(const void* state, const percale_launch* launch, void (*body)(void* arg, int64_t piece)) {
  const plan_state* planned = state;
  null_plugin* plugin = planned->plugin;
  job work;
  work.host = plugin->host;
  work.launch = launch;
  work.count = planned->count;
  if (work.count > 0) plugin->host->run->parallel_for(launch->run, (work.count + PIECE - 1) / PIECE, body, &work);
  pthread_mutex_lock(&plugin->mutex);
  ++plugin->kernel_runs;
  pthread_mutex_unlock(&plugin->mutex);
}

static void run_identity(const void* s, const percale_launch* launch) { run_pieces(s, launch, identity_piece); }
static void run_relu(const void* s, const percale_launch* launch) { run_pieces(s, launch, relu_piece); }
static void run_add(const void* s, const percale_launch* launch) { run_pieces(s, launch, add_piece); }
static void run_mul(const void* s, const percale_launch* launch) { run_pieces(s, launch, mul_piece); }

/* Accepts nodes whose inputs are f32 and have the output's shape. The kernels do not broadcast. */
static percale_status* accepts(void* user, const percale_node_view* node) {
  const null_plugin* plugin = user;
  const percale_host_api* host = plugin->host;
  size_t out_rank, rank, i;
  const int64_t* out_dims = host->node->output_dims(node, 0, &out_rank);
  for (i = 0; i < host->node->input_count(node); ++i) {
    const int64_t* dims = host->node->input_dims(node, i, &rank);
    if (host->node->input_dtype(node, i) != PERCALE_DTYPE_F32) {
      return null_error(plugin, PERCALE_UNIMPLEMENTED, "its inputs must be f32");
    }
    if (rank != out_rank || memcmp(dims, out_dims, rank * sizeof *dims) != 0) {
      return null_error(plugin, PERCALE_UNIMPLEMENTED, "its inputs must have one shape, it does not broadcast");
    }
  }
  return NULL;
}

static percale_status* plan(void* user, const percale_node_view* node, percale_kernel_plan* plan, void** out_state) {
  null_plugin* plugin = user;
  size_t rank, i;
  const int64_t* dims = plugin->host->node->output_dims(node, 0, &rank);
  plan_state* state = malloc(sizeof *state);
  (void)plan; /* no scratch needed */
  *out_state = state;
  if (state == NULL) return null_error(plugin, PERCALE_RESOURCE_EXHAUSTED, "no memory for a kernel's state");
  state->plugin = plugin;
  state->count = 1;
  /* Cannot overflow: the host has checked that the bytes fit an int64_t. */
  for (i = 0; i < rank; ++i) state->count *= dims[i];
  return NULL;
}

void null_fill_kernels(null_plugin* plugin) {
  static const struct {
    const char *name, *op;
    void (*run)(const void* state, const percale_launch* launch);
  } all[NULL_KERNEL_COUNT] = {
      {"null.identity", "Identity", run_identity},
      {"null.relu", "Relu", run_relu},
      {"null.add", "Add", run_add},
      {"null.mul", "Mul", run_mul},
  };
  size_t i;
  for (i = 0; i < NULL_KERNEL_COUNT; ++i) {
    percale_kernel* kernel = &plugin->kernels[i];
    kernel->struct_size = sizeof *kernel;
    kernel->name = all[i].name;
    kernel->device_kind = "null";
    kernel->domain = "";
    kernel->op = all[i].op;
    kernel->accepts = accepts;
    kernel->plan = plan;
    kernel->run = all[i].run;
    kernel->destroy = free;
    kernel->user = plugin;
    plugin->kernel_list[i] = kernel;
  }
}

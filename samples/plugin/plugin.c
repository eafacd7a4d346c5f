/* A plug-in in plain C, built with only the installed headers:
 *   cc -std=c99 -O3 -march=native -shared -fPIC plugin.c $(pkg-config --cflags percale) \
 *     -o libpercale_sample.so -lm
 * It does not link to Percale: everything it needs is in the table that percale_plugin_init()
 * gets. It adds
 *   - the op sample:Snake, y = x + sin(alpha x)^2 / alpha (Ziyin et al. 2020), with its gradient
 *     and a kernel;
 *   - a kernel for Mish, which Percale itself composes of nine ops. It needs one exponential where
 *     they need an exponential, a logarithm and a hyperbolic tangent. */
#include <math.h>
#include <percale_plugin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* set once, before any other call; see percale_plugin_init() */
static const percale_host_api* host;

static percale_status* refuse(const char* reason) {
  return host->status->create(PERCALE_UNIMPLEMENTED, reason, PERCALE_NUL_ENDED);
}

/* --8<-- [start:loop] */
/* ---- Shared by both kernels: a loop over all elements of input 0. The division into pieces
 * depends only on the problem's size. */

typedef void (*loop)(const float* x, const float* parameter, float* y, int64_t count);
typedef struct plan_state {
  int64_t count;
  loop run;
} plan_state;

enum { PIECE = 16384 };

static percale_status* make_plan(const percale_node_view* node, loop run, void** out_state) {
  size_t rank = 0, i;
  const int64_t* dims = host->node->input_dims(node, 0, &rank);
  plan_state* state = malloc(sizeof *state);
  if (state == NULL) return host->status->create(PERCALE_RESOURCE_EXHAUSTED, "no memory", PERCALE_NUL_ENDED);
  state->count = 1;
  state->run = run;
  for (i = 0; i < rank; ++i) state->count *= dims[i];
  *out_state = state;
  return NULL;
}

typedef struct job {
  const plan_state* plan;
  const float *x, *parameter;
  float* y;
} job;

static void run_piece(void* arg, int64_t piece) {
  const job* mine = arg;
  const int64_t begin = piece * PIECE, left = mine->plan->count - begin;
  mine->plan->run(mine->x + begin, mine->parameter, mine->y + begin, left < PIECE ? left : PIECE);
}

/* Operands are the inputs, then the outputs: Mish has (x, y), Snake (x, alpha, y). */
static void run_all(const plan_state* plan, const percale_launch* launch, int inputs) {
  job mine;
  mine.plan = plan;
  mine.x = launch->operands[0];
  mine.parameter = inputs > 1 ? launch->operands[1] : NULL;
  mine.y = launch->operands[inputs];
  host->run->parallel_for(launch->run, (plan->count + PIECE - 1) / PIECE, run_piece, &mine);
}
/* --8<-- [end:loop] */

static void run_unary(const void* state, const percale_launch* launch) { run_all(state, launch, 1); }
static void run_snake(const void* state, const percale_launch* launch) {
  const float* alpha = launch->operands[1];
  if (*alpha == 0) {
    host->run->fail(launch->run, PERCALE_INVALID_ARGUMENT, "'alpha' is 0, wanted another number", PERCALE_NUL_ENDED);
    return;
  }
  run_all(state, launch, 2);
}

static percale_status* accepts_f32(void* user, const percale_node_view* node) {
  (void)user;
  return host->node->input_dtype(node, 0) == PERCALE_DTYPE_F32 ? NULL : refuse("works in f32");
}

/* --8<-- [start:mish] */
/* ---- Mish: x tanh(log(1 + e)) with e = exp(x) is x n / (n + 2) with n = e (e + 2). */

/* Returns 2^k times a polynomial, the Taylor series of exp on [-ln 2 / 2, ln 2 / 2]. Simple
 * enough for a compiler to vectorise. */
static float fast_exp(float x) {
  const float k = rintf(x * 1.44269504f), r = x - k * 0.693145752f - k * 1.42860677e-6f;
  const int32_t bits = ((int32_t)k + 127) * (1 << 23);
  float power, p = 1.0f / 5040;
  memcpy(&power, &bits, sizeof power);
  p = p * r + 1.0f / 720, p = p * r + 1.0f / 120, p = p * r + 1.0f / 24, p = p * r + 1.0f / 6;
  p = p * r + 0.5f, p = p * r + 1, p = p * r + 1;
  return power * p;
}

static void mish(const float* x, const float* parameter, float* y, int64_t count) {
  int64_t i;
  (void)parameter;
  for (i = 0; i < count; ++i) {
    /* Above 20 the factor is 1 in f32, below -80 the product is 0. */
    const float e = fast_exp(x[i] > 20 ? 20 : x[i] < -80 ? -80 : x[i]), n = e * (e + 2);
    y[i] = x[i] * (n / (n + 2));
  }
}
static percale_status* plan_mish(void* user, const percale_node_view* node, percale_kernel_plan* plan,
                                 void** out_state) {
  (void)user, (void)plan;
  return make_plan(node, mish, out_state);
}
/* --8<-- [end:mish] */

/* ---- Snake. */

static void snake(const float* x, const float* parameter, float* y, int64_t count) {
  const float alpha = *parameter;
  int64_t i;
  for (i = 0; i < count; ++i) {
    const float s = sinf(alpha * x[i]);
    y[i] = x[i] + s * s / alpha;
  }
}
static percale_status* plan_snake(void* user, const percale_node_view* node, percale_kernel_plan* plan,
                                  void** out_state) {
  (void)user, (void)plan;
  return make_plan(node, snake, out_state);
}

/* --8<-- [start:op] */
static percale_status* snake_shape(void* user, percale_shape_context* context) {
  size_t rank = 0;
  const int64_t* dims = host->shape->input_dims(context, 1, &rank);
  (void)user;
  if (rank != SIZE_MAX && (rank > 1 || (rank == 1 && dims[0] != 1 && dims[0] != -1))) {
    return host->status->create(PERCALE_INVALID_ARGUMENT, "'alpha' must be one number", PERCALE_NUL_ENDED);
  }
  dims = host->shape->input_dims(context, 0, &rank);
  return host->shape->set_output(context, 0, host->shape->input_dtype(context, 0), dims, rank);
}

static int32_t emit(percale_grad_context* context, const char* op, int32_t a, int32_t b) {
  int32_t inputs[2];
  inputs[0] = a, inputs[1] = b;
  return host->grad->emit(context, op, inputs, b < 0 ? 1 : 2, NULL, 0);
}

/* With s = sin(alpha x) and d = sin(2 alpha x): dx = dy (1 + d), dalpha = sum of dy (x d - s^2 /
 * alpha) / alpha. */
static percale_status* snake_gradient(void* user, percale_grad_context* context) {
  const int32_t x = host->grad->input(context, 0), alpha = host->grad->input(context, 1);
  const int32_t dy = host->grad->output_gradient(context, 0);
  const int32_t angle = emit(context, "Mul", alpha, x), twice = emit(context, "Add", angle, angle);
  const int32_t s = emit(context, "Sin", angle, -1), d = emit(context, "Sin", twice, -1);
  const int32_t square = emit(context, "Div", emit(context, "Mul", s, s), alpha);
  const int32_t slope = emit(context, "Div", emit(context, "Sub", emit(context, "Mul", x, d), square), alpha);
  (void)user;
  host->grad->set_input_gradient(context, 0, emit(context, "Add", dy, emit(context, "Mul", dy, d)));
  host->grad->set_input_gradient(
      context, 1,
      emit(context, "percale:SumToShape", emit(context, "Mul", dy, slope), emit(context, "Shape", alpha, -1)));
  return NULL;
}
/* --8<-- [end:op] */

/* ---- The tables. */

static const percale_op_value inputs[] = {{"x", 'T', 1u << PERCALE_DTYPE_F32, 0},
                                          {"alpha", 'T', 1u << PERCALE_DTYPE_F32, 0}};
static const percale_op_value outputs[] = {{"y", 'T', 0, 0}};
static const percale_op snake_op = {
    sizeof(percale_op), "Snake",       1, "x + sin(alpha x)^2 / alpha.", inputs, 2, outputs, 1, NULL, 0, NULL,
    snake_shape,        snake_gradient};
static const percale_kernel snake_kernel = {
    sizeof(percale_kernel), "sample.snake", "cpu", "sample", "Snake", accepts_f32, plan_snake, run_snake, free, NULL};
static const percale_kernel mish_kernel = {
    sizeof(percale_kernel), "sample.mish", "cpu", "", "Mish", accepts_f32, plan_mish, run_unary, free, NULL};
static const percale_op* const ops[] = {&snake_op};
static const percale_kernel* const kernels[] = {&snake_kernel, &mish_kernel};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
percale_status*
percale_plugin_init(const percale_host_api* given, uint32_t abi, const char* path,
                    const percale_plugin_api** out_plugin);

percale_status* percale_plugin_init(const percale_host_api* given, uint32_t abi, const char* path,
                                    const percale_plugin_api** out_plugin) {
  static percale_plugin_api api;
  (void)path;
  /* Called for every engine, by every copy of the library in the process. This sample keeps one
   * table, so it serves the first copy only. A plug-in for all copies gives each its own tables
   * and finds the host by `user`. */
  if (!__sync_bool_compare_and_swap(&host, NULL, given) && host != given) {
    return given->status->create(PERCALE_FAILED_PRECONDITION, "serves another copy of the library", PERCALE_NUL_ENDED);
  }
  if (abi != PERCALE_PLUGIN_ABI) return refuse("made for another version of the plug-in interface");
  api.struct_size = sizeof api;
  api.name = "sample", api.version = "1.0", api.domain = "sample";
  api.ops = ops, api.op_count = 1;
  api.kernels = kernels, api.kernel_count = 2;
  *out_plugin = &api;
  return NULL;
}

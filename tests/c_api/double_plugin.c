/* A plug-in in C. It adds the op test:Double, y = 2x, with its gradient and a kernel. The kernel
 * computes in as many pieces as the attribute 'pieces' says and fails if the first element is NaN.
 * Its kernel for Relu refuses every node, so that a test can read the reason. With SILENT defined,
 * the op does not declare that its gradient ignores the attribute. With MISTAKEN defined, its
 * gradient is a value that does not exist. */
#include <percale_plugin.h>

static const percale_host_api* host;

static percale_status* fail(const char* message) {
  return host->status_create(PERCALE_INVALID_ARGUMENT, message, PERCALE_NUL_ENDED);
}

static percale_status* shape(void* user, percale_shape_context* context) {
  size_t rank = 0;
  const int64_t* dims = host->shape_input_dims(context, 0, &rank);
  int64_t pieces = 0;
  (void)user;
  if (!host->shape_attribute_int(context, "pieces", &pieces)) return fail("the default of 'pieces' is missing");
  if (pieces < 1) return fail("'pieces' is 0");
  return host->shape_set_output(context, 0, host->shape_input_dtype(context, 0), dims, rank);
}

/* dy + dy. */
static percale_status* gradient(void* user, percale_grad_context* context) {
  int32_t terms[2];
  (void)user;
  terms[0] = terms[1] = host->grad_of_output(context, 0);
#if defined(MISTAKEN)
  host->grad_set(context, 0, 12345);
#else
  host->grad_set(context, 0, host->grad_emit(context, "Add", terms, 2));
#endif
  return NULL;
}

typedef struct state {
  int64_t count, pieces;
} state;
static state states[64];
static int used = 0;

static percale_status* accepts(void* user, const percale_node_view* node) {
  (void)user;
  return host->node_input_dtype(node, 0) == PERCALE_DTYPE_F32 ? NULL : fail("only f32");
}

static percale_status* plan(void* user, const percale_node_view* node, percale_kernel_plan* kernel_plan,
                            void** out_state) {
  size_t rank = 0, i;
  const int64_t* dims = host->node_input_dims(node, 0, &rank);
  state* mine;
  (void)user;
  if (used == 64) return host->status_create(PERCALE_RESOURCE_EXHAUSTED, "too many plans", PERCALE_NUL_ENDED);
  mine = &states[used++];
  mine->count = 1;
  for (i = 0; i < rank; ++i) mine->count *= dims[i];
  host->node_attribute_int(node, "pieces", &mine->pieces);
  host->kernel_plan_set_scratch(kernel_plan, 64);
  *out_state = mine;
  return NULL;
}

typedef struct job {
  const float* in;
  float* out;
  const state* what;
} job;
static void piece(void* arg, int64_t number) {
  const job* mine = (const job*)arg;
  const int64_t begin = mine->what->count * number / mine->what->pieces,
                end = mine->what->count * (number + 1) / mine->what->pieces;
  int64_t i;
  for (i = begin; i < end; ++i) mine->out[i] = 2 * mine->in[i];
}
static void run(const void* planned, const percale_launch* launch) {
  job mine;
  mine.in = (const float*)launch->operands[0];
  mine.out = (float*)launch->operands[1];
  mine.what = (const state*)planned;
  if (mine.what->count > 0 && mine.in[0] != mine.in[0]) {
    host->run_fail_with(launch->run, PERCALE_DATA_LOSS, "the first element is NaN, wanted a number", PERCALE_NUL_ENDED);
    return;
  }
  host->parallel_for(launch->run, mine.what->pieces, piece, &mine);
}

static percale_status* refuse(void* user, const percale_node_view* node) {
  (void)user, (void)node;
  return fail("it is a matter of principle");
}

static const percale_op_value values[1] = {{"x", 'T', 1u << PERCALE_DTYPE_F32 | 1u << PERCALE_DTYPE_F64, 0}};
static const percale_op_value results[1] = {{"y", 'T', 0, 0}};
static const percale_op_attribute attributes[1] = {{"pieces", 2, 0, 1, 4, 0, NULL}};
#if defined(SILENT)
#define IGNORES_ATTRIBUTES 0
#else
#define IGNORES_ATTRIBUTES 1
#endif
static percale_op op = {
    sizeof(percale_op), "test", "Double",          1, "y = 2x.", values, 1, results, 1, NULL, shape, gradient,
    attributes,         1,      IGNORES_ATTRIBUTES};
static percale_kernel kernel = {sizeof(percale_kernel), "double.c", "test", "Double", accepts, plan, run, NULL, NULL};
static percale_kernel refuser = {sizeof(percale_kernel), "relu.never", "", "Relu", refuse, plan, run, NULL, NULL};
static const percale_op* const ops[1] = {&op};
static const percale_kernel* const kernels[2] = {&kernel, &refuser};
static const char* const kinds[2] = {"cpu", "cpu"};
static percale_plugin_api api;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
percale_status*
percale_plugin_init(const percale_host_api* given, uint32_t abi, const char* path,
                    const percale_plugin_api** out_plugin);

percale_status* percale_plugin_init(const percale_host_api* given, uint32_t abi, const char* path,
                                    const percale_plugin_api** out_plugin) {
  host = given;
  if (abi != PERCALE_PLUGIN_ABI || path == NULL || path[0] == 0) return fail("no path");
  api.struct_size = sizeof api;
  api.name = "double";
  api.version = "1.2";
  api.ops = ops;
  api.op_count = 1;
  api.kernels = kernels;
  api.kernel_device_kinds = kinds;
  api.kernel_count = 2;
  *out_plugin = &api;
  return NULL;
}

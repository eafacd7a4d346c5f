/* A plug-in in C. It adds the op test:Double, y = factor x, with its gradient, and a kernel that
 * computes in as many pieces as the attribute 'pieces' says and fails if the first element is NaN.
 * The attributes 'factor', 'powers', 'scales', 'mode' and 'labels' are there so that the shape
 * function, the gradient and the kernel each read every kind. Its kernel for Relu refuses every
 * node, so that a test can read the reason. With MISTAKEN defined, the gradient gives a value that
 * does not exist; with MISNAMED, the plug-in's domain is the library's own. */
#include <percale_plugin.h>
#include <string.h>

static const percale_host_api* host;

static percale_status* fail(const char* message) {
  return host->status->create(PERCALE_INVALID_ARGUMENT, message, PERCALE_NUL_ENDED);
}

/* Returns the reason why the attributes are wrong; NULL if they are right. */
static const char* read_attributes(const percale_attributes* given) {
  int64_t pieces = 0;
  double factor = 0;
  const char *mode = NULL, *label;
  size_t size = 0, count = 0;
  const int64_t* powers = NULL;
  const double* scales = NULL;
  percale_attribute any;
  if (!host->attributes->get_int(given, "pieces", &pieces)) return "the default of 'pieces' is missing";
  if (pieces < 1) return "'pieces' is 0";
  if (!host->attributes->get_float(given, "factor", &factor)) return "the default of 'factor' is missing";
  if (!host->attributes->get_string(given, "mode", &mode, &size) || size != 5 || strcmp(mode, "plain") != 0) {
    return "'mode' is not its default";
  }
  if (host->attributes->get_ints(given, "powers", &powers, &count) && (count != 2 || powers[1] != -7)) {
    return "'powers' are not 3, -7";
  }
  if (host->attributes->get_floats(given, "scales", &scales, &count) && (count != 1 || scales[0] != 0.5)) {
    return "'scales' is not 0.5";
  }
  label = host->attributes->get_string_at(given, "labels", 1, &size);
  if (label != NULL && (size != 1 || strcmp(label, "b") != 0)) return "the second label is not b";
  if (host->attributes->get_string_at(given, "labels", 2, NULL) != NULL) return "there is a third label";
  if (host->attributes->get_int(given, "mode", &pieces)) return "a text is read as a number";
  if (!host->attributes->get(given, "factor", &any) || any.kind != PERCALE_ATTRIBUTE_FLOAT || any.f != factor) {
    return "'factor' differs by the way that it is read";
  }
  for (size = 0; host->attributes->at(given, size, &any); ++size) {
    if (any.name == NULL) return "an attribute has no name";
  }
  return size == host->attributes->count(given) ? NULL : "the attributes are counted wrongly";
}

static percale_status* shape(void* user, percale_shape_context* context) {
  size_t rank = 0;
  const int64_t* dims = host->shape->input_dims(context, 0, &rank);
  const char* reason = read_attributes(host->shape->attributes(context));
  (void)user;
  if (reason != NULL) return fail(reason);
  return host->shape->set_output(context, 0, host->shape->input_dtype(context, 0), dims, rank);
}

/* dx = test:Double(dy) with the same factor, which reads attributes and emits them. */
static percale_status* gradient(void* user, percale_grad_context* context) {
  static const int64_t powers[] = {3, -7};
  static const char* const labels[] = {"a", "b"};
  const double scale = 0.5;
  const int32_t dy = host->grad->output_gradient(context, 0);
  percale_attribute given[5];
  double factor = 0;
  int32_t dx;
  (void)user;
  if (!host->attributes->get_float(host->grad->attributes(context), "factor", &factor)) return fail("no factor");
  memset(given, 0, sizeof given);
  given[0].name = "factor", given[0].kind = PERCALE_ATTRIBUTE_FLOAT, given[0].f = factor;
  given[1].name = "pieces", given[1].kind = PERCALE_ATTRIBUTE_INT, given[1].i = 2;
  given[2].name = "powers", given[2].kind = PERCALE_ATTRIBUTE_INTS, given[2].ints = powers, given[2].count = 2;
  given[3].name = "scales", given[3].kind = PERCALE_ATTRIBUTE_FLOATS, given[3].floats = &scale, given[3].count = 1;
  given[4].name = "labels", given[4].kind = PERCALE_ATTRIBUTE_STRINGS, given[4].strings = labels, given[4].count = 2;
  dx = host->grad->emit(context, "test:Double", &dy, 1, given, 5);
  if (host->grad->dtype(context, dx) != host->grad->dtype(context, host->grad->input(context, 0))) {
    return fail("the gradient has another element type");
  }
#if defined(MISTAKEN)
  dx = 12345;
#endif
  host->grad->set_input_gradient(context, 0, dx);
  return NULL;
}

typedef struct state {
  int64_t count, pieces;
  float factor;
} state;
static state states[64];
static int used = 0;

static percale_status* accepts(void* user, const percale_node_view* node) {
  const char* reason = read_attributes(host->node->attributes(node));
  (void)user;
  if (reason != NULL) return fail(reason);
  if (strcmp(host->node->domain(node), "test") != 0 || strcmp(host->node->op(node), "Double") != 0) return fail("name");
  return host->node->input_dtype(node, 0) == PERCALE_DTYPE_F32 ? NULL : fail("only f32");
}

static percale_status* plan(void* user, const percale_node_view* node, percale_kernel_plan* kernel_plan,
                            void** out_state) {
  size_t rank = 0, i;
  const int64_t* dims = host->node->input_dims(node, 0, &rank);
  double factor = 0;
  state* mine;
  (void)user;
  if (used == 64) return host->status->create(PERCALE_RESOURCE_EXHAUSTED, "too many plans", PERCALE_NUL_ENDED);
  mine = &states[used++];
  mine->count = 1;
  for (i = 0; i < rank; ++i) mine->count *= dims[i];
  host->attributes->get_int(host->node->attributes(node), "pieces", &mine->pieces);
  host->attributes->get_float(host->node->attributes(node), "factor", &factor);
  mine->factor = (float)factor;
  host->kernel_plan->set_scratch(kernel_plan, 64);
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
  for (i = begin; i < end; ++i) mine->out[i] = mine->what->factor * mine->in[i];
}
static void run(const void* planned, const percale_launch* launch) {
  job mine;
  mine.in = (const float*)launch->operands[0];
  mine.out = (float*)launch->operands[1];
  mine.what = (const state*)planned;
  if (mine.what->count > 0 && mine.in[0] != mine.in[0]) {
    host->run->fail(launch->run, PERCALE_DATA_LOSS, "the first element is NaN, wanted a number", PERCALE_NUL_ENDED);
    return;
  }
  if (mine.what->count > 0 && mine.in[0] == 77) { /* a code is no percale_run_error */
    host->run->fail_at(launch->run, -1, PERCALE_OUT_OF_RANGE, 5);
    return;
  }
  if (mine.what->count > 0 && mine.in[0] == 88) {
    host->run->fail_at(launch->run, -1, PERCALE_RUN_ERROR_INDEX_OUT_OF_RANGE, 5);
    return;
  }
  if (mine.what->count > 0 && mine.in[0] == 99) {
    host->log->write(launch->run, PERCALE_LOG_WARNING, "the first element is 99", PERCALE_NUL_ENDED);
  }
  host->run->parallel_for(launch->run, mine.what->pieces, piece, &mine);
}

static percale_status* refuse(void* user, const percale_node_view* node) {
  (void)user, (void)node;
  return fail("it is a matter of principle");
}

static const percale_op_value values[] = {{"x", 'T', 1u << PERCALE_DTYPE_F32 | 1u << PERCALE_DTYPE_F64, 0}};
static const percale_op_value results[] = {{"y", 'T', 0, 0}};
static const percale_op_attribute attributes[] = {
    {"pieces", PERCALE_ATTRIBUTE_INT, 0, 1, 4, 0, NULL},     {"factor", PERCALE_ATTRIBUTE_FLOAT, 0, 1, 0, 2, NULL},
    {"mode", PERCALE_ATTRIBUTE_STRING, 0, 1, 0, 0, "plain"}, {"powers", PERCALE_ATTRIBUTE_INTS, 0, 0, 0, 0, NULL},
    {"scales", PERCALE_ATTRIBUTE_FLOATS, 0, 0, 0, 0, NULL},  {"labels", PERCALE_ATTRIBUTE_STRINGS, 0, 0, 0, 0, NULL},
};
static const percale_op op = {sizeof(percale_op), "Double", 1,    "y = factor x.", values,  1, results, 1,
                              attributes,         6,        NULL, shape,           gradient};
static const percale_kernel kernel = {
    sizeof(percale_kernel), "double.c", "cpu", "test", "Double", accepts, plan, run, NULL, NULL};
static const percale_kernel refuser = {
    sizeof(percale_kernel), "relu.never", "cpu", "", "Relu", refuse, plan, run, NULL, NULL};
static const percale_op* const ops[] = {&op};
static const percale_kernel* const kernels[] = {&kernel, &refuser};
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
#if defined(MISNAMED)
  api.domain = "percale";
#else
  api.domain = "test";
#endif
  api.ops = ops;
  api.op_count = 1;
  api.kernels = kernels;
  api.kernel_count = 2;
  *out_plugin = &api;
  return NULL;
}

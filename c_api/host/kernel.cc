// The tables for kernels: nodes, plans, runs.
#include "core/registry/kernel.h"

#include "c_api/api.h"
#include "c_api/host/attributes.h"
#include "c_api/host/body_view.h"
#include "c_api/host/tables.h"
#include "c_api/host/types.h"

namespace percale::c_api {
namespace {

// Names of ops are literals and names of nodes are strings, so both end with NUL.
const char* node_domain(const percale_node_view* node) { return node->schema.domain.data(); }
const char* node_op(const percale_node_view* node) { return node->schema.name.data(); }
const char* node_name(const percale_node_view* node) { return node->name.data(); }
size_t node_input_count(const percale_node_view* node) { return node->inputs.size(); }
size_t node_output_count(const percale_node_view* node) { return node->outputs.size(); }
percale_dtype node_input_dtype(const percale_node_view* node, size_t i) { return dtype_at(node->inputs, i); }
percale_dtype node_output_dtype(const percale_node_view* node, size_t i) { return dtype_at(node->outputs, i); }
const int64_t* node_input_dims(const percale_node_view* node, size_t i, size_t* out_rank) {
  return dims_at(node->inputs, i, out_rank);
}
const int64_t* node_output_dims(const percale_node_view* node, size_t i, size_t* out_rank) {
  return dims_at(node->outputs, i, out_rank);
}
const void* node_input_constant(const percale_node_view* node, size_t i) { return data_or_null(node->value(i)); }
const percale_attributes* node_attributes(const percale_node_view* node) { return view_of(node->attributes); }
const char* node_isa(const percale_node_view* node) { return node->isa; }

const char* key_or_null(const Format* format) { return format == nullptr ? nullptr : format->key.c_str(); }
const char* node_input_layout(const percale_node_view* node, size_t i) { return key_or_null(node->input_format(i)); }
const char* node_output_layout(const percale_node_view* node, size_t i) { return key_or_null(node->output_format(i)); }
int32_t node_input_is_precomputed(const percale_node_view* node, size_t i) { return node->is_precomputed(i); }

void plan_set_scratch(percale_kernel_plan* plan, uint64_t bytes) {
  // The allocator refuses a size that no machine has.
  plan->scratch_bytes = bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes);
}
void plan_set_in_place(percale_kernel_plan* plan, size_t output, size_t input) {
  plan->in_place.push_back({output, input});
}
int32_t plan_set_layout(percale_kernel_plan* plan, size_t operand, const char* layout, uint64_t bytes) {
  if (!plan->grants_formats) return 0;
  plan->formats.emplace_back(operand, Format{std::string(text_or_empty(layout)), static_cast<int64_t>(bytes)});
  return 1;
}

void run_parallel_for(percale_run_context* run, int64_t pieces, void (*body)(void* arg, int64_t piece), void* arg) {
  try {
    run->parallel.call(run->parallel.pool, pieces, body, arg);
  } catch (const std::bad_alloc&) {
    run->fail(RunError::kOutOfMemory, 0);
  }
}
int32_t run_cancelled(const percale_run_context* run) { return run->cancelled.load(std::memory_order_relaxed); }
void run_fail(percale_run_context* run, percale_code code, const char* message, size_t size) {
  run->fail_with(code, message == nullptr ? std::string_view() : text_of(message, size));
}
void run_fail_at(percale_run_context* run, int64_t mark, percale_run_error error, int64_t detail) {
  const bool known = error >= PERCALE_RUN_ERROR_KERNEL_FAILED && error <= PERCALE_RUN_ERROR_OUT_OF_MEMORY;
  if (known) return run->fail(static_cast<RunError>(error), detail, nullptr, mark);
  run->fail(RunError::kUnknownError, error, nullptr, mark);
}
int64_t run_mark(const percale_run_context* run) { return run->mark; }
void run_random(const percale_run_context* run, int64_t* seed, int64_t* step, int64_t* first_row) {
  *seed = run->seed;
  *step = run->step;
  *first_row = run->first_row;
}

}  // namespace

constinit const percale_host_node_api kHostNode = {
    .struct_size = sizeof(percale_host_node_api),
    .domain = node_domain,
    .op = node_op,
    .name = node_name,
    .input_count = node_input_count,
    .output_count = node_output_count,
    .input_dtype = node_input_dtype,
    .output_dtype = node_output_dtype,
    .input_dims = node_input_dims,
    .output_dims = node_output_dims,
    .input_constant = node_input_constant,
    .attributes = node_attributes,
    .isa = node_isa,
    .input_layout = node_input_layout,
    .output_layout = node_output_layout,
    .input_is_precomputed = node_input_is_precomputed,
    .body_node_count = body_node_count,
    .body_node = body_node,
    .body_input = body_input,
    .body_output = body_output,
};

constinit const percale_host_kernel_plan_api kHostKernelPlan = {
    .struct_size = sizeof(percale_host_kernel_plan_api),
    .set_scratch = plan_set_scratch,
    .set_in_place = plan_set_in_place,
    .set_layout = plan_set_layout,
};

constinit const percale_host_run_api kHostRun = {
    .struct_size = sizeof(percale_host_run_api),
    .parallel_for = run_parallel_for,
    .cancelled = run_cancelled,
    .fail = run_fail,
    .fail_at = run_fail_at,
    .mark = run_mark,
    .random = run_random,
};

}  // namespace percale::c_api

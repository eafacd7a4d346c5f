#include "devices/onednn/kernel.h"

#include <cstring>
#include <functional>
#include <new>
#include <numeric>

namespace percale::onednn {
namespace {

// The one place where what oneDNN and this plug-in throw ends.
template <class F>
percale_status* guarded(const percale_host_api& host, F body) {
  const auto status = [&](percale_code code, const char* message) {
    return host.status_create(code, message, std::strlen(message));
  };
  try {
    body();
    return nullptr;
  } catch (const Refusal& refusal) {
    return status(PERCALE_UNIMPLEMENTED, refusal.what());
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) return status(PERCALE_RESOURCE_EXHAUSTED, "oneDNN: out of memory");
    return status(PERCALE_UNIMPLEMENTED,
                  error.status == dnnl_unimplemented ? "oneDNN has no code for it" : error.what());
  } catch (const std::bad_alloc&) {
    return status(PERCALE_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::exception& error) {
    return status(PERCALE_INTERNAL, error.what());
  }
}

// oneDNN has one instruction set per process, which is settled when it is first used.
void check_isa(const Node& node) {
  struct Cap {
    const char* name;
    dnnl::cpu_isa isa;
  };
  static constexpr Cap kCaps[] = {{"sse4", dnnl::cpu_isa::sse41}, {"avx2", dnnl::cpu_isa::avx2}};
  const std::string wanted = node.host().node_isa(node.view());
  static const std::string settled = [&] {
    for (const Cap& cap : kCaps) {
      if (wanted == cap.name) dnnl::set_max_cpu_isa(cap.isa);
    }
    return wanted;
  }();
  if (wanted != settled) throw Refusal("oneDNN has been used with isa=" + settled + " in this process before");
}

struct State {
  const percale_host_api* host;
  Steps steps;
};

percale_status* accepts(void* user, const percale_node_view* view) {
  const auto& context = *static_cast<const KernelContext*>(user);
  return guarded(*context.host, [&] {
    const Node node(*context.host, view);
    check_isa(node);
    Plan plan(node, nullptr);
    Steps steps;
    context.entry.prepare(plan, steps);
  });
}

percale_status* plan_node(void* user, const percale_node_view* view, percale_kernel_plan* plan, void** out_state) {
  const auto& context = *static_cast<const KernelContext*>(user);
  return guarded(*context.host, [&] {
    const Node node(*context.host, view);
    Plan planner(node, plan);
    auto state = std::make_unique<State>(State{context.host, {}});
    context.entry.prepare(planner, state->steps);
    *out_state = state.release();
  });
}

void run(const void* state, const percale_launch* launch) {
  const State& s = *static_cast<const State*>(state);
  try {
    for (const auto& primitive : s.steps.primitives) primitive->run(*launch);
  } catch (const std::exception&) {
    s.host->run_fail(launch->run, PERCALE_INTERNAL, 0);
  }
}

void destroy(void* state) { delete static_cast<State*>(state); }

}  // namespace

DataType float_type(percale_dtype dtype) {
  if (dtype == PERCALE_DTYPE_F32) return DataType::f32;
  refuse_if(dtype != PERCALE_DTYPE_BF16, "only f32 and bf16");
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto needed = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  refuse_if((isa & needed) != needed, "the CPU does not compute in bf16");
  return DataType::bf16;
}

int64_t elements(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

void Made::add(int name, int operand, const MemoryDesc& desc, const Dims& dims, const Dims& strides) {
  const MemoryDesc row(dims, desc.get_data_type(), strides.empty() ? strides_of(dims) : strides);
  operands.push_back({{name, operand, 0, desc}, row});
}

void Made::add_own(int name, const MemoryDesc& desc, const void* bytes) {
  const auto* first = static_cast<const char*>(bytes);
  auto copy = std::make_shared<const std::vector<char>>(first, first + desc.get_size());
  operands.push_back({{name, Argument::kOwn, 0, desc, std::move(copy)}, desc});
}

void Plan::add(Steps& steps, double flops, const std::function<Made(bool formats)>& make) {
  const int pieces = pieces_for(flops);
  const WidthScope width(pieces);
  Made made = make(true);
  if (plan_ == nullptr) return;
  if (!ask_for_formats(made)) made = make(false);
  finish(steps, std::move(made), pieces);
}

void Plan::add_as_given(Steps& steps, double flops, const std::function<Made()>& make) {
  const int pieces = pieces_for(flops);
  const WidthScope width(pieces);
  Made made = make();
  if (plan_ != nullptr) finish(steps, std::move(made), pieces);
}

bool Plan::ask_for_formats(const Made& made) {
  bool granted = true;
  for (const Made::Operand& operand : made.operands) {
    const MemoryDesc& desc = operand.argument.desc;
    if (!granted || operand.argument.operand < 0 || same_bytes(desc, operand.row_major)) continue;
    granted = node_.host().kernel_plan_set_format(plan_, static_cast<size_t>(operand.argument.operand),
                                                  encode({desc, operand.row_major}).c_str(), desc.get_size()) != 0;
  }
  return granted;
}

void Plan::finish(Steps& steps, Made made, int pieces) {
  std::vector<Argument> arguments;
  for (Made::Operand& operand : made.operands) arguments.push_back(std::move(operand.argument));
  if (const size_t bytes = made.scratchpad.get_size(); bytes > 0) {
    arguments.push_back({DNNL_ARG_SCRATCHPAD, Argument::kScratch, 0, made.scratchpad});
    node_.host().kernel_plan_set_scratch(plan_, bytes);
  }
  steps.primitives.push_back(std::make_unique<Primitive>(node_.host(), made.create(), std::move(arguments), pieces));
}

dnnl::primitive_attr attributes(const dnnl::post_ops& post_ops) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(post_ops);
  return attr;
}

percale_kernel make_kernel(KernelContext& context) {
  percale_kernel kernel{};
  kernel.struct_size = sizeof(kernel);
  kernel.name = context.entry.name;
  kernel.domain = context.entry.domain;
  kernel.op = context.entry.op;
  kernel.accepts = accepts;
  kernel.plan = plan_node;
  kernel.run = run;
  kernel.destroy = destroy;
  kernel.user = &context;
  return kernel;
}

}  // namespace percale::onednn

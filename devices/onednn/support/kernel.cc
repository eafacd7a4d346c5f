#include "devices/onednn/support/kernel.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <utility>

namespace percale::onednn {
namespace {

// Runs body(). An error of oneDNN becomes one of the plug-in.
template <class F>
void translating(F&& body) {
  try {
    body();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, "oneDNN: out of memory");
    }
    throw Refusal(error.status == dnnl_unimplemented ? "oneDNN does not support this operation" : error.what());
  }
}

// oneDNN has one instruction set per process, which is settled when it is first used.
void check_isa(const Node& node) {
  struct Cap {
    const char* name;
    dnnl::cpu_isa isa;
  };
  static constexpr Cap kCaps[] = {{"sse4", dnnl::cpu_isa::sse41}, {"avx2", dnnl::cpu_isa::avx2}};
  const std::string wanted = node.isa();
  static const std::string settled = [&] {
    for (const Cap& cap : kCaps) {
      if (wanted == cap.name) dnnl::set_max_cpu_isa(cap.isa);
    }
    return wanted;
  }();
  if (wanted != settled) throw Refusal("oneDNN was already used with isa=" + settled + " in this process before");
}

}  // namespace

DataType float_type(percale_dtype dtype) {
  if (dtype == PERCALE_DTYPE_F32) return DataType::f32;
  refuse_if(dtype != PERCALE_DTYPE_BF16, "supports only f32 and bf16");
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto needed = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  refuse_if((isa & needed) != needed, "the CPU does not support bf16");
  return DataType::bf16;
}

void PlannedNode::run(const percale_launch& launch) const noexcept {
  const plugin::Run run(host_, launch.run);
  std::atomic<bool> failed{false};
  try {
    const auto& primitives = steps_.primitives;
    if (steps_.at_once) {
      in_parallel(host_, launch.run, static_cast<int64_t>(primitives.size()), [&](int64_t i) {
        try {
          primitives[static_cast<size_t>(i)]->run(launch);
        } catch (const std::exception&) {
          failed = true;
        }
      });
    } else {
      for (const auto& primitive : primitives) primitive->run(launch);
      if (steps_.function) steps_.function(launch);
    }
  } catch (const std::exception&) {
    failed = true;
  }
  if (failed) run.fail(PERCALE_RUN_ERROR_KERNEL_FAILED, 0, -1);
}

void KernelContext::accepts(const percale_node_view* view) const {
  translating([&] {
    const Node node(host(), view);
    check_isa(node);
    Plan plan(node, nullptr);
    Steps steps;
    entry.prepare(plan, steps);
  });
}

percale_status* KernelContext::accept(void* context, const percale_node_view* view) {
  const auto& self = *static_cast<const KernelContext*>(context);
  const char* const first = self.entry.first;
  if (first != nullptr && Node(self.host(), view).body_node(0).op() != std::string_view(first)) {
    return plugin::make_status(self.host(), PERCALE_UNIMPLEMENTED, "the group begins with another op");
  }
  return plugin::guarded(self.host(), [&] { self.accepts(view); });
}

std::unique_ptr<PlannedNode> KernelContext::plan(const percale_node_view* view, percale_kernel_plan* plan) const {
  Steps steps;
  translating([&] {
    const Node node(host(), view);
    Plan planner(node, plan);
    entry.prepare(planner, steps);
  });
  return std::make_unique<PlannedNode>(host(), std::move(steps));
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

const MemoryDesc& Made::find(int name) const {
  const auto is_it = [name](const Operand& o) { return o.argument.name == name; };
  return std::find_if(operands.begin(), operands.end(), is_it)->argument.desc;
}

void Made::start_from(int operand) {
  const auto is_result = [](const Operand& o) { return o.argument.name == DNNL_ARG_DST; };
  Operand& result = *std::find_if(operands.begin(), operands.end(), is_result);
  result.argument.begins_as = operand;
  const Operand same{{DNNL_ARG_UNDEF, operand, 0, result.argument.desc}, result.row_major};
  operands.push_back(same);
}

void Made::add_scratch(int name, int slot, const MemoryDesc& desc) {
  operands.push_back({{name, Argument::kScratch, 0, desc}, desc, slot});
}

void Plan::add_all(Steps& steps, int pieces, const std::function<std::vector<Made>(bool formats)>& make) {
  const WidthScope width(pieces);
  std::vector<Made> all = make(true);
  if (!is_taken()) return;
  if (!ask_for_formats(all)) all = make(false);
  finish(steps, std::move(all), pieces);
}

void Plan::add(Steps& steps, int pieces, const std::function<Made(bool formats)>& make) {
  add_all(steps, pieces, [&](bool formats) { return std::vector{make(formats)}; });
}

void Plan::add_parts(Steps& steps, int pieces, const std::function<Made(bool formats)>& make,
                     const std::function<std::vector<Made>(const Made& whole)>& parts) {
  {
    const WidthScope width(1);
    const std::vector<Made> whole{make(true)};
    std::vector<Made> several;
    try {
      several = parts(whole[0]);
    } catch (const Refusal&) {  // what oneDNN has code for as a whole it may have none for in part
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented) throw;
    }
    if (!several.empty()) {
      if (!is_taken()) return;
      if (ask_for_formats(whole)) {
        steps.at_once = true;
        return finish(steps, std::move(several), 1);
      }
    }
  }
  add(steps, pieces, make);
}

void Plan::add_as_given(Steps& steps, int pieces, const std::function<std::vector<Made>()>& make) {
  const WidthScope width(pieces);
  std::vector<Made> all = make();
  if (is_taken()) finish(steps, std::move(all), pieces);
}

bool Plan::ask_for_format(size_t operand, const std::string& format, size_t bytes) {
  return requests_.set_layout(operand, format, bytes);
}

void Plan::require_format(size_t operand, const std::string& format, size_t bytes) {
  refuse_if(!ask_for_format(operand, format, bytes), "all operands are row-major");
}

void Plan::require_format(size_t operand, const MemoryDesc& desc) {
  const Format format{desc, row_major(desc.get_dims(), desc.get_data_type())};
  require_format(operand, encode(format), desc.get_size());
}

void Plan::work_in_place(size_t input) { requests_.set_in_place(0, input); }

void Plan::book(size_t scratch_bytes) {
  if (scratch_bytes > 0) requests_.set_scratch(scratch_bytes);
}

bool Plan::ask_for_formats(const std::vector<Made>& all) {
  bool granted = true;
  std::vector<int> asked;
  for (const Made& made : all) {
    for (const Made::Operand& operand : made.operands) {
      const MemoryDesc& desc = operand.argument.desc;
      const int number = operand.argument.operand;
      if (!granted || number < 0 || same_bytes(desc, operand.row_major)) continue;
      if (std::find(asked.begin(), asked.end(), number) != asked.end()) continue;
      asked.push_back(number);
      const auto index = static_cast<size_t>(number);
      const Dims dims = index < node_.inputs() ? node_.dims(index) : node_.output_dims(index - node_.inputs());
      granted = ask_for_format(index, encode(with_dims({desc, operand.row_major}, dims)), desc.get_size());
    }
  }
  return granted;
}

// Scratch: the slots one after the other, then what each primitive wants for itself, which all take
// the same place unless they run at once.
void Plan::finish(Steps& steps, std::vector<Made> all, int pieces) {
  size_t slots_end = 0;
  std::map<int, size_t> slots;
  const auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  for (const Made& made : all) {
    for (const Made::Operand& operand : made.operands) {
      if (operand.slot < 0 || !slots.emplace(operand.slot, slots_end).second) continue;
      slots_end += rounded(operand.argument.desc.get_size());
    }
  }
  size_t scratch = slots_end;
  for (Made& made : all) {
    std::vector<Argument> arguments;
    for (Made::Operand& operand : made.operands) {
      if (operand.argument.name == DNNL_ARG_UNDEF) continue;
      if (operand.slot >= 0) operand.argument.offset = slots[operand.slot];
      if (const int input = operand.argument.begins_as; input >= 0) work_in_place(static_cast<size_t>(input));
      arguments.push_back(std::move(operand.argument));
    }
    if (const size_t bytes = made.scratchpad.get_size(); bytes > 0) {
      const size_t at = steps.at_once ? rounded(scratch) : slots_end;
      arguments.push_back({DNNL_ARG_SCRATCHPAD, Argument::kScratch, at, made.scratchpad});
      scratch = std::max(scratch, at + bytes);
    }
    steps.primitives.push_back(std::make_unique<Primitive>(node_.host(), made.create(), std::move(arguments), pieces));
  }
  book(scratch);
}

dnnl::primitive_attr attributes(const dnnl::post_ops& post_ops) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(post_ops);
  return attr;
}

}  // namespace percale::onednn

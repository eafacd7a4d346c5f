#include "devices/cuda/vendor/dnn_graph.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace percale::cuda {
namespace {

constexpr int64_t kAlignment = 16;

// Returns the notes of one kind that an engine reports.
std::vector<int> notes_of(const DnnDescriptor& engine, int name, int type) {
  std::vector<int> out(64);
  const int64_t count = engine.get(name, type, static_cast<int64_t>(out.size()), out.data());
  out.resize(static_cast<size_t>(std::clamp<int64_t>(count, 0, static_cast<int64_t>(out.size()))));
  return out;
}

// Returns why an engine does not satisfy the rules, or null if it does.
const char* objection(const DnnDescriptor& engine, const DnnRules& rules) {
  const std::vector<int> notes = notes_of(engine, abi::kDnnEngineNotes, abi::kDnnTypeNote);
  const auto has = [&](int note) { return std::find(notes.begin(), notes.end(), note) != notes.end(); };
  for (int note : notes) {
    if (note >= abi::kDnnNoteCount) return "the engine has notes that are newer than the plug-in";
  }
  if (rules.deterministic && has(abi::kDnnNondeterministic)) return "the engine is not deterministic";
  if (has(abi::kDnnReducedPrecision) || has(abi::kDnnDownConverts)) return "the engine rounds its inputs";
  // Tensor cores compute f32 as tf32.
  if (!rules.rounds && has(abi::kDnnTensorCore)) return "tf32";
  const std::vector<int> behavior = notes_of(engine, abi::kDnnEngineBehavior, abi::kDnnTypeBehavior);
  const bool compiles = std::find(behavior.begin(), behavior.end(), abi::kDnnCompiles) != behavior.end();
  return compiles && !rules.compiles ? "the engine compiles code at run time" : nullptr;
}

}  // namespace

int dnn_type(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_F32: return abi::kDnnFloat;
    case PERCALE_DTYPE_F64: return abi::kDnnDouble;
    case PERCALE_DTYPE_F16: return abi::kDnnHalf;
    case PERCALE_DTYPE_I32: return abi::kDnnInt32;
    case PERCALE_DTYPE_BOOL: return abi::kDnnBoolean;
    default: return abi::kDnnBFloat16;
  }
}

DnnGraph::Number DnnGraph::add(int type) {
  specs_.push_back({type, {}});
  return static_cast<Number>(specs_.size()) - 1;
}

void DnnGraph::set(int name, int type, const void* elements, int64_t count, size_t bytes) {
  const auto* data = static_cast<const std::byte*>(elements);
  specs_.back().attributes.push_back({name, type, count, {data, data + bytes}, -1});
}

void DnnGraph::set_descriptor(int name, Number other) {
  specs_.back().attributes.push_back({name, abi::kDnnTypeDescriptor, 1, {}, other});
}

void DnnGraph::set_scalar(int name, double value, bool wide) {
  const auto narrow = static_cast<float>(value);
  if (wide) {
    set(name, abi::kDnnTypeDouble, &value, 1, sizeof value);
  } else {
    set(name, abi::kDnnTypeFloat, &narrow, 1, sizeof narrow);
  }
}

DnnGraph::Number DnnGraph::add_tensor(percale_dtype dtype, const Dims& dims, const Dims& strides) {
  const Number out = add(abi::kDnnTensor);
  set_enum(abi::kDnnTensorType, abi::kDnnTypeDataType, dnn_type(dtype));
  set(abi::kDnnTensorDims, dims);
  set(abi::kDnnTensorStrides, strides);
  set(abi::kDnnTensorId, out);
  set(abi::kDnnTensorAlignment, kAlignment);
  return out;
}
DnnGraph::Number DnnGraph::tensor(percale_dtype dtype, const Dims& dims, const Dims& strides) {
  return add_tensor(dtype, dims, strides);
}
DnnGraph::Number DnnGraph::between(const Dims& dims, const Dims& strides, percale_dtype dtype) {
  const Number out = add_tensor(dtype, dims, strides);
  set_flag(abi::kDnnTensorVirtual);
  return out;
}
DnnGraph::Number DnnGraph::number(size_t rank) {
  const Number out = add_tensor(PERCALE_DTYPE_F32, Dims(rank, 1), Dims(rank, 1));
  set_flag(abi::kDnnTensorByValue);
  return out;
}

std::string DnnGraph::key() const {
  std::string out;
  const auto put = [&out](int64_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); };
  for (const Spec& spec : specs_) {
    put(spec.type);
    put(static_cast<int64_t>(spec.attributes.size()));
    for (const Attribute& a : spec.attributes) {
      put(a.name);
      put(a.type);
      put(a.count);
      put(a.other);
      out.append(reinterpret_cast<const char*>(a.bytes.data()), a.bytes.size());
    }
  }
  for (Number operation : operations_) put(operation);
  return out;
}

void DnnGraph::matmul(Number a, Number b, Number c) {
  const Number how = add(abi::kDnnMatmul);
  set_enum(abi::kDnnMatmulType, abi::kDnnTypeDataType, abi::kDnnFloat);
  add(abi::kDnnMatmulOp);
  set_descriptor(abi::kDnnMatmulHow, how);
  set_descriptor(abi::kDnnMatmulA, a);
  set_descriptor(abi::kDnnMatmulB, b);
  set_descriptor(abi::kDnnMatmulC, c);
  is_operation();
}

void DnnGraph::reshape(Number x, Number y) {
  add(abi::kDnnReshapeOp);
  set_descriptor(abi::kDnnReshapeX, x);
  set_descriptor(abi::kDnnReshapeY, y);
  is_operation();
}

void DnnGraph::reduction(int mode, Number x, Number y) {
  const Number how = add(abi::kDnnReduction);
  set_enum(abi::kDnnReductionMode, abi::kDnnTypeReduction, mode);
  set_enum(abi::kDnnReductionType, abi::kDnnTypeDataType, abi::kDnnFloat);
  add(abi::kDnnReductionOp);
  set_descriptor(abi::kDnnReductionHow, how);
  set_descriptor(abi::kDnnReductionX, x);
  set_descriptor(abi::kDnnReductionY, y);
  is_operation();
}

void DnnGraph::add_pointwise(const Pointwise& how, Number x, Number b, Number condition, Number y) {
  const Number mode = add(abi::kDnnPointwise);
  set_enum(abi::kDnnPointwiseMode, abi::kDnnTypePointwiseMode, how.mode);
  set_enum(abi::kDnnPointwiseType, abi::kDnnTypeDataType, how.type);
  if (how.axis >= 0) set(abi::kDnnPointwiseAxis, how.axis);
  add(abi::kDnnPointwiseOp);
  set_descriptor(abi::kDnnPointwiseHow, mode);
  set_descriptor(abi::kDnnPointwiseX, x);
  if (b >= 0) set_descriptor(abi::kDnnPointwiseB, b);
  if (condition >= 0) set_descriptor(abi::kDnnPointwiseT, condition);
  set_descriptor(abi::kDnnPointwiseY, y);
  is_operation();
}

void DnnGraph::pointwise(int mode, Number x, Number b, Number y) { add_pointwise({mode, abi::kDnnFloat}, x, b, -1, y); }
void DnnGraph::index(int64_t axis, Number x, Number y) {
  add_pointwise({abi::kDnnPointwiseIndex, abi::kDnnInt32, axis}, x, -1, -1, y);
}
void DnnGraph::at_least(Number a, Number b, Number y) {
  add_pointwise({abi::kDnnPointwiseAtLeast, abi::kDnnBoolean}, a, b, -1, y);
}
void DnnGraph::select(Number condition, Number a, Number b, Number y) {
  add_pointwise({abi::kDnnPointwiseSelect, abi::kDnnFloat}, a, b, condition, y);
}

DnnPlan::DnnPlan(const DnnLibrary& lib, const DnnTarget& target, const DnnGraph& graph, const DnnRules& rules) {
  try {
    make(lib, target, graph, rules);
  } catch (const Failure& failure) {
    plan_ = nullptr;  // A graph that cuDNN refuses runs without it.
    reason_ = failure.what();
  }
  if (plan_ == nullptr) kept_.clear();
}

void DnnPlan::make(const DnnLibrary& lib, const DnnTarget& target, const DnnGraph& graph, const DnnRules& rules) {
  std::vector<const DnnDescriptor*> made;
  for (const DnnGraph::Spec& spec : graph.specs()) {
    DnnDescriptor& out = kept_.emplace_back(lib, spec.type);
    for (const DnnGraph::Attribute& a : spec.attributes) {
      if (a.other >= 0) {
        out.set(a.name, *made[static_cast<size_t>(a.other)]);
      } else {
        out.set(a.name, a.type, a.bytes.data(), a.count);
      }
    }
    DnnLibrary::check(out.try_finalize(), "a descriptor of cuDNN");
    made.push_back(&out);
  }
  std::vector<abi::DnnDesc> operations;
  for (DnnGraph::Number number : graph.operations()) operations.push_back(made[static_cast<size_t>(number)]->get());
  DnnDescriptor& whole = kept_.emplace_back(lib, abi::kDnnGraph);
  if (target.handle != nullptr) whole.set(abi::kDnnGraphHandle, abi::kDnnTypeHandle, &target.handle);
  whole.set(abi::kDnnGraphOps, abi::kDnnTypeDescriptor, operations.data(), static_cast<int64_t>(operations.size()));
  DnnLibrary::check(whole.try_finalize(), "a graph of cuDNN");
  if (choose(lib, target, rules, whole, abi::kDnnModeA)) return;
  if (rules.fallback) choose(lib, target, rules, whole, abi::kDnnModeFallback);
}

bool DnnPlan::choose(const DnnLibrary& lib, const DnnTarget& target, const DnnRules& rules, const DnnDescriptor& graph,
                     int mode) {
  DnnDescriptor& heuristics = kept_.emplace_back(lib, abi::kDnnHeuristics);
  heuristics.set(abi::kDnnHeuristicGraph, graph);
  heuristics.set(abi::kDnnHeuristicMode, abi::kDnnTypeHeuristicMode, &mode);
  if (target.properties != nullptr) {
    heuristics.set(abi::kDnnHeuristicProperties, abi::kDnnTypeDescriptor, &target.properties);
  }
  if (heuristics.try_finalize() != abi::kDnnSuccess) return false;
  const int64_t count = heuristics.get(abi::kDnnHeuristicResults, abi::kDnnTypeDescriptor, 0, nullptr);
  std::vector<const DnnDescriptor*> configs;
  std::vector<abi::DnnDesc> raw;
  for (int64_t i = 0; i < count; ++i) {
    configs.push_back(&kept_.emplace_back(lib, abi::kDnnEngineConfig));
    raw.push_back(configs.back()->get());
  }
  const int64_t found = heuristics.get(abi::kDnnHeuristicResults, abi::kDnnTypeDescriptor, count, raw.data());
  for (int64_t i = 0; i < std::min(found, count); ++i) {
    const DnnDescriptor& config = *configs[static_cast<size_t>(i)];
    const DnnDescriptor engine(lib, abi::kDnnEngine);
    abi::DnnDesc its = engine.get();
    config.get(abi::kDnnConfigEngine, abi::kDnnTypeDescriptor, 1, &its);
    engine.get(abi::kDnnEngineIndex, abi::kDnnTypeInt64, 1, &engine_);
    if (const char* why = objection(engine, rules)) {
      reason_ += (reason_.empty() ? "" : "; ") + std::to_string(engine_) + ": " + why;
      continue;
    }
    DnnDescriptor candidate(lib, abi::kDnnPlan);
    if (target.handle != nullptr) candidate.set(abi::kDnnPlanHandle, abi::kDnnTypeHandle, &target.handle);
    if (target.properties != nullptr) {
      candidate.set(abi::kDnnPlanProperties, abi::kDnnTypeDescriptor, &target.properties);
    }
    candidate.set(abi::kDnnPlanConfig, config);
    if (candidate.try_finalize() != abi::kDnnSuccess) continue;
    candidate.get(abi::kDnnPlanWorkspace, abi::kDnnTypeInt64, 1, &workspace_);
    if (workspace_ > rules.workspace) {
      reason_ += (reason_.empty() ? "" : "; ") + std::to_string(engine_) + ": a workspace of " +
                 std::to_string(workspace_) + " bytes";
      continue;
    }
    plan_ = &kept_.emplace_back(std::move(candidate));
    return true;
  }
  return false;
}

const DnnPlan& PlannedGraph::on(Device& device, abi::Dnn dnn) const {
  const std::lock_guard lock(mutex_);
  auto& found = devices_[&device];
  if (found == nullptr) {
    DnnRules rules = rules_;
    rules.rounds = rules.rounds || device.tf32();
    rules.deterministic = device.deterministic();
    // Networks have many equal nodes, and queries take time.
    auto& shared = device.dnn_plan(graph_.key());
    if (shared == nullptr) {
      shared = std::make_shared<const DnnPlan>(device.shared().dnn, DnnTarget{dnn, nullptr}, graph_, rules);
    }
    found = shared;
  }
  return *found;
}

bool PlannedGraph::run(const Launch& launch, std::span<const Operand> operands, Ptr workspace) const {
  Device& device = launch.stream().device();
  const DnnLibrary& lib = device.shared().dnn;
  return device.with_dnn([&](abi::Dnn dnn) {
    if (dnn == nullptr) return false;
    const DnnPlan& plan = on(device, dnn);
    if (!plan.is_there()) return false;
    const auto pointer = [](Ptr p) { return reinterpret_cast<void*>(p.address); };
    std::vector<int64_t> numbers;
    std::vector<void*> pointers;
    for (const Operand& operand : operands) {
      numbers.push_back(operand.tensor);
      pointers.push_back(pointer(operand.memory));
    }
    void* scratch = pointer(workspace);
    const auto count = static_cast<int64_t>(numbers.size());
    DnnDescriptor pack(lib, abi::kDnnVariantPack);
    pack.set(abi::kDnnPackIds, abi::kDnnTypeInt64, numbers.data(), count);
    pack.set(abi::kDnnPackPointers, abi::kDnnTypePointer, pointers.data(), count);
    pack.set(abi::kDnnPackWorkspace, abi::kDnnTypePointer, &scratch);
    DnnLibrary::check(pack.try_finalize(), "the operands of cuDNN");
    DnnLibrary::check(lib.cudnnSetStream(dnn, launch.stream().handle()), "cudnnSetStream");
    DnnLibrary::check(lib.cudnnBackendExecute(dnn, plan.get(), pack.get()), "cudnnBackendExecute");
    return true;
  });
}

}  // namespace percale::cuda

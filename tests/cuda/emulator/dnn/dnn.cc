// The functions of the emulated libcudnn.
#include "tests/cuda/emulator/dnn/dnn.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/cuda/emulator/emulator.h"

using namespace percale_emulator::dnn;
using percale_emulator::note_problem;
using percale_emulator::reach_bytes;

namespace {

uint64_t convolutions = 0, epilogues = 0, attentions = 0, causal_attentions = 0;

// Engines in the order in which they are offered. The last one belongs to the mode "fallback"; it
// supports any layout, but no epilogues. The others support only channels last.
enum Engine { kAtomics, kTf32, kUnsupported, kHungry, kCompiles, kLast, kPlain };
constexpr int64_t kWorkspace = 3000;

DnnStatus misuse(const std::string& what) {
  note_problem("cudnn: " + what);
  return kDnnBadParam;
}

size_t element_bytes(int type) {
  switch (type) {
    case kDnnTypeHandle:
    case kDnnTypeInt64:
    case kDnnTypeDouble:
    case kDnnTypePointer:
    case kDnnTypeDescriptor: return 8;
    case kDnnTypeBoolean:
    case kDnnTypeChar: return 1;
    default: return 4;
  }
}

// True if the engine supports the graph. With PERCALE_CUDNN_EMULATOR=none no engine supports any.
bool takes(int engine, const DnnDescTag& graph) {
  static const char* const which = std::getenv("PERCALE_CUDNN_EMULATOR");
  if (which != nullptr && std::strcmp(which, "none") == 0) return false;
  if (!has_convolution(graph)) return engine == kCompiles;  // attention
  if (engine == kPlain) return operations_of(graph).size() == 1;
  return is_channels_last(problem_of(graph).x) || is_channels_last(problem_of(graph).y);
}

}  // namespace

extern "C" {

// For tests: the number of enqueued convolutions.
__attribute__((visibility("default"))) uint64_t percale_emulator_convolutions(void) { return convolutions; }
// For tests: the number of convolutions with an epilogue.
__attribute__((visibility("default"))) uint64_t percale_emulator_epilogues(void) { return epilogues; }
__attribute__((visibility("default"))) uint64_t percale_emulator_attentions(void) { return attentions; }
// For tests: the number of attentions whose mask is made by the graph.
__attribute__((visibility("default"))) uint64_t percale_emulator_causal_attentions(void) { return causal_attentions; }

DnnStatus cudnnCreate(Dnn* dnn) {
  *dnn = new DnnTag;
  return kDnnSuccess;
}
DnnStatus cudnnDestroy(Dnn dnn) {
  delete dnn;
  return kDnnSuccess;
}
DnnStatus cudnnSetStream(Dnn dnn, Stream stream) {
  dnn->stream = stream;
  return kDnnSuccess;
}
DnnStatus cudnnBackendCreateDescriptor(int type, DnnDesc* desc) {
  *desc = new DnnDescTag;
  (*desc)->type = type;
  return kDnnSuccess;
}
DnnStatus cudnnBackendDestroyDescriptor(DnnDesc desc) {
  delete desc;
  return kDnnSuccess;
}

DnnStatus cudnnBackendSetAttribute(DnnDesc desc, int name, int type, int64_t count, const void* elements) {
  if (desc->final) return misuse("an attribute of a descriptor that is finalized");
  if (count < 1 || elements == nullptr) return misuse("an attribute without elements");
  Attribute& out = desc->attributes[name];
  out.type = type;
  out.bytes.resize(static_cast<size_t>(count) * element_bytes(type));
  std::memcpy(out.bytes.data(), elements, out.bytes.size());
  return kDnnSuccess;
}

DnnStatus cudnnBackendFinalize(DnnDesc desc) {
  const char* wrong = nullptr;
  switch (desc->type) {
    case kDnnTensor: wrong = check_tensor(*desc); break;
    case kDnnConvolution: wrong = check_convolution(*desc); break;
    case kDnnForward:
    case kDnnBackwardData:
    case kDnnBackwardFilter: wrong = check_operation(*desc, nullptr); break;
    case kDnnPointwise:
    case kDnnMatmul:
    case kDnnReduction: break;
    case kDnnPointwiseOp:
    case kDnnMatmulOp:
    case kDnnReductionOp:
    case kDnnReshapeOp: wrong = check_step(*desc, nullptr); break;
    case kDnnGraph: wrong = check_graph(*desc); break;
    case kDnnHeuristics: {
      const int mode = read_enum(*desc, kDnnHeuristicMode, kDnnTypeHeuristicMode);
      if (read_desc(*desc, kDnnHeuristicGraph, kDnnGraph) == nullptr ||
          (mode != kDnnModeA && mode != kDnnModeFallback)) {
        wrong = "heuristics";
      }
      break;
    }
    case kDnnPlan: {
      const DnnDescTag* config = read_desc(*desc, kDnnPlanConfig, kDnnEngineConfig);
      if (config == nullptr || read<Dnn>(*desc, kDnnPlanHandle, kDnnTypeHandle).size() != 1) {
        wrong = "a plan";
      } else if (config->engine == kUnsupported ||
                 !takes(config->engine, *read_desc(*config, kDnnHeuristicGraph, kDnnGraph))) {
        return kDnnNotSupported;
      } else if (config->engine == kCompiles && has_convolution(*read_desc(*config, kDnnHeuristicGraph, kDnnGraph))) {
        wrong = "an engine that compiles code";
      } else if (config->engine == kAtomics) {
        wrong = "an engine that adds in another order each time";
      }
      break;
    }
    case kDnnVariantPack:
      if (read_numbers(*desc, kDnnPackIds).size() < 3 ||
          read<void*>(*desc, kDnnPackPointers, kDnnTypePointer).size() != read_numbers(*desc, kDnnPackIds).size()) {
        wrong = "operands";
      }
      break;
    default: wrong = "a descriptor of a kind that is not emulated";
  }
  if (wrong != nullptr) return misuse(wrong);
  desc->final = true;
  return kDnnSuccess;
}

DnnStatus cudnnBackendGetAttribute(DnnDesc desc, int name, int type, int64_t room, int64_t* count, void* elements) {
  if (desc->type == kDnnHeuristics && name == kDnnHeuristicResults && type == kDnnTypeDescriptor && desc->final) {
    const bool fallback = read_enum(*desc, kDnnHeuristicMode, kDnnTypeHeuristicMode) == kDnnModeFallback;
    *count = fallback ? 1 : 6;
    for (int64_t i = 0; i < *count && i < room; ++i) {
      DnnDesc config = static_cast<DnnDesc*>(elements)[i];
      if (config->type != kDnnEngineConfig) return misuse("results that are no configurations");
      config->engine = fallback ? kPlain : static_cast<int>(i);
      config->attributes[kDnnHeuristicGraph] = desc->attributes[kDnnHeuristicGraph];
      config->final = true;
    }
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngineConfig && name == kDnnConfigEngine && type == kDnnTypeDescriptor && room == 1) {
    DnnDesc engine = *static_cast<DnnDesc*>(elements);
    if (engine->type != kDnnEngine) return misuse("an engine that is none");
    engine->engine = desc->engine;
    engine->final = true;
    *count = 1;
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngine && name == kDnnEngineNotes && type == kDnnTypeNote && room >= 1) {
    *count = desc->engine == kAtomics || desc->engine == kTf32 ? 1 : 0;
    if (*count == 1) *static_cast<int*>(elements) = desc->engine == kAtomics ? kDnnNondeterministic : kDnnTensorCore;
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngine && name == kDnnEngineBehavior && type == kDnnTypeBehavior && room >= 1) {
    *count = desc->engine == kCompiles ? 1 : 0;
    if (*count == 1) *static_cast<int*>(elements) = percale::cuda::abi::kDnnCompiles;
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngine && name == kDnnEngineIndex && type == kDnnTypeInt64 && room == 1) {
    *count = 1;
    *static_cast<int64_t*>(elements) = desc->engine;
    return kDnnSuccess;
  }
  if (desc->type == kDnnPlan && name == kDnnPlanWorkspace && type == kDnnTypeInt64 && room == 1 && desc->final) {
    const DnnDescTag& config = *read_desc(*desc, kDnnPlanConfig, kDnnEngineConfig);
    *count = 1;
    *static_cast<int64_t*>(elements) = config.engine == kHungry ? int64_t{1} << 40 : kWorkspace;
    return kDnnSuccess;
  }
  return misuse("an attribute that is not emulated is asked for");
}

DnnStatus cudnnBackendExecute(Dnn dnn, DnnDesc plan, DnnDesc pack) {
  if (!plan->final || !pack->final) return misuse("what is executed is not finalized");
  const DnnDescTag& config = *read_desc(*plan, kDnnPlanConfig, kDnnEngineConfig);
  const DnnDescTag& graph = *read_desc(config, kDnnHeuristicGraph, kDnnGraph);
  const auto operations = operations_of(graph);
  const bool convolves = has_convolution(graph);
  const Problem first = convolves ? problem_of(graph) : Problem();
  if (config.engine == kTf32 && first.x.type == kDnnFloat) return misuse("tf32 that was not asked for");
  std::map<int64_t, void*> pointers;
  const Numbers numbers = read_numbers(*pack, kDnnPackIds);
  const auto given = read<void*>(*pack, kDnnPackPointers, kDnnTypePointer);
  for (size_t i = 0; i < numbers.size(); ++i) pointers[numbers[i]] = given[i];
  // Collects the operations and all their tensors.
  std::vector<Step> then;
  std::map<int64_t, Tensor> tensors;
  if (convolves) tensors = {{first.x.number, first.x}, {first.w.number, first.w}, {first.y.number, first.y}};
  for (size_t i = convolves ? 1 : 0; i < operations.size(); ++i) {
    Step s;
    check_step(*operations[i], &s);
    tensors[s.x.number] = s.x;
    tensors[s.y.number] = s.y;
    if (s.two) tensors[s.b.number] = s.b;
    if (s.chooses) tensors[s.condition.number] = s.condition;
    then.push_back(s);
  }
  std::map<int64_t, double> values;
  size_t in_memory = 0;
  for (const auto& [number, t] : tensors) {
    if (!t.in_memory) continue;
    ++in_memory;
    const auto address = reinterpret_cast<uint64_t>(pointers[number]);
    if (t.by_value) {  // read at this time
      values[number] = static_cast<double>(*static_cast<const float*>(pointers[number]));
      continue;
    }
    if (address == 0 || address % static_cast<uint64_t>(t.alignment) != 0)
      return misuse("an operand is not aligned as was said");
  }
  if (in_memory != numbers.size()) return misuse("operands that are none of the graph");
  const auto workspace = read<void*>(*pack, kDnnPackWorkspace, kDnnTypePointer);
  if (workspace.size() != 1 || workspace[0] == nullptr) return misuse("no workspace");
  if (reinterpret_cast<uint64_t>(workspace[0]) % 256 != 0) return misuse("a workspace that is not aligned");
  convolutions += convolves ? 1 : 0;
  epilogues += convolves && !then.empty() ? 1 : 0;
  attentions += convolves ? 0 : 1;
  causal_attentions += std::any_of(then.begin(), then.end(), [](const Step& s) { return s.chooses; }) ? 1 : 0;
  void* scratch = workspace[0];
  const Result result = percale_emulator::enqueue(dnn->stream, [=]() -> std::string {
    AllHeld held;
    for (const auto& [number, t] : tensors) {
      held[number] = {t};
      if (t.by_value) held[number].between = {values.at(number)};
      if (!t.in_memory || t.by_value) continue;
      held[number].memory = reach_bytes(reinterpret_cast<uint64_t>(pointers.at(number)), t.bytes());
      if (held[number].memory == nullptr) return "cudnnBackendExecute: an operand is not in one block";
    }
    void* room = reach_bytes(reinterpret_cast<uint64_t>(scratch), kWorkspace);
    if (room == nullptr) return "cudnnBackendExecute: the workspace is not in one block";
    std::memset(room, 0xEE, kWorkspace);
    if (convolves) convolve(first, held);
    for (const Step& s : then) compute(s, held);
    return "";
  });
  return result == kSuccess ? kDnnSuccess : kDnnExecutionFailed;
}

}  // extern "C"

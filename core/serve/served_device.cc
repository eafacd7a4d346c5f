#include "core/serve/served_device.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/base/c_status.h"
#include "core/compile/plan.h"
#include "core/engine/device_list.h"
#include "core/graph_io/reader.h"
#include "core/session/session.h"

namespace percale {
namespace {

// Memory that a tensor of an execution reads or writes.
struct Range {
  const char* begin;
  int64_t bytes;
  bool is_output;
};

// True if an output shares bytes with another tensor.
bool any_output_overlaps(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  const char *read_end = nullptr, *written_end = nullptr;
  for (const Range& range : ranges) {
    if (range.bytes == 0) continue;
    if (range.begin < written_end || (range.is_output && range.begin < read_end)) return true;
    const char*& end = range.is_output ? written_end : read_end;
    end = std::max(end, range.begin + range.bytes);
  }
  return false;
}

// A device of the engine as clients name it.
std::string name_of(const Engine& engine, int32_t device) {
  if (device == ServedDevice::kAllDevices) return std::string(kAllDevicesName);
  const Device& own = *engine.devices()[static_cast<size_t>(device)];
  return str_cat(own.kind(), ":", own.index());
}

}  // namespace

// A graph that was compiled for the device. Thread-safe.
class ServedDevice::Executable {
 public:
  static Result<std::unique_ptr<Executable>> compile(const ServedDevice& device, std::shared_ptr<Buffer> bytes) {
    const auto& engine = device.engine_;
    PERCALE_ASSIGN_OR_RETURN(std::shared_ptr<const Graph> graph, read_graph(engine->registry(), std::move(bytes)));
    const Function& main = graph->main();
    RunSpec spec;
    if (device.device_ != kAllDevices) spec.group = {device.device_};
    std::vector<ValueType> types;
    for (ValueId id : main.inputs) {
      spec.feeds.push_back(main.value(id).name);
      types.push_back(main.type(id));
    }
    for (ValueId id : main.outputs) spec.fetches.push_back(main.value(id).name);
    std::unique_ptr<Executable> out(new Executable);
    PERCALE_RETURN_IF_ERROR(out->add(types, spec.feeds, out->inputs_, out->input_bytes_));
    PERCALE_ASSIGN_OR_RETURN(
        out->session_, Session::create(engine, std::move(graph), nullptr, {.cache_size = 1, .memory = device.memory_}));
    PERCALE_ASSIGN_OR_RETURN(out->plan_, out->session_->prepare(spec, types));
    PERCALE_RETURN_IF_ERROR(
        out->add(Session::fetch_types(*out->plan_), spec.fetches, out->outputs_, out->output_bytes_));
    const Function& function = out->session_->graph().main();
    for (size_t k = 0; k < spec.fetches.size(); ++k) out->over_.push_back(input_to_overwrite(function, k));
    return out;
  }

  Status run(void* const* inputs, void* const* outputs) const {
    std::vector<Range> ranges;
    PERCALE_ASSIGN_OR_RETURN(const std::vector<Tensor> feeds, tensors(inputs_, inputs, false, ranges));
    PERCALE_ASSIGN_OR_RETURN(std::vector<Tensor> results, tensors(outputs_, outputs, true, ranges));
    // An output may take the memory of the input that it is a change of.
    for (size_t k = 0; k < over_.size(); ++k) {
      const auto input = static_cast<size_t>(over_[k]);
      if (over_[k] >= 0 && inputs[input] == outputs[k]) ranges[input].bytes = 0;
    }
    if (any_output_overlaps(std::move(ranges))) {
      return invalid_argument("execute: an output shares memory with another input or output");
    }
    return session_->run(*plan_, feeds, results);
  }

  std::span<const uint64_t> input_bytes() const { return input_bytes_; }
  std::span<const uint64_t> output_bytes() const { return output_bytes_; }

 private:
  Executable() = default;

  static Status add(std::span<const ValueType> types, std::span<const std::string> names, std::vector<ValueType>& out,
                    std::vector<uint64_t>& bytes) {
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i].dtype == DType::kInvalid || !types[i].shape.is_static()) {
        return invalid_argument("compile: the shape of '", names[i], "' is not known; wanted static types");
      }
      PERCALE_ASSIGN_OR_RETURN(const int64_t size, byte_size(types[i].dtype, types[i].shape));
      out.push_back(types[i]);
      bytes.push_back(static_cast<uint64_t>(size));
    }
    return {};
  }

  static Result<std::vector<Tensor>> tensors(const std::vector<ValueType>& types, void* const* memory, bool is_output,
                                             std::vector<Range>& ranges) {
    std::vector<Tensor> out;
    out.reserve(types.size());
    for (size_t i = 0; i < types.size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(types[i].dtype, types[i].shape));
      PERCALE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::view(Buffer::wrap(memory[i], bytes, nullptr, nullptr), 0,
                                                           types[i].dtype, types[i].shape));
      ranges.push_back({static_cast<const char*>(memory[i]), bytes, is_output});
      out.push_back(std::move(tensor));
    }
    return out;
  }

  std::shared_ptr<Session> session_;
  std::shared_ptr<const Plan> plan_;
  std::vector<ValueType> inputs_, outputs_;
  std::vector<uint64_t> input_bytes_, output_bytes_;
  std::vector<int32_t> over_;  // per output: the input whose memory it may take; -1: none
};

// The functions of the table.
struct ServedDevice::Table {
  static ServedDevice& self(void* device) { return *static_cast<ServedDevice*>(device); }

  static percale_status* describe(void* device, percale_device_description* out) {
    percale_device_description facts = self(device).describe();
    facts.struct_size = static_cast<uint32_t>(std::min<size_t>(out->struct_size, sizeof facts));
    std::memcpy(out, &facts, facts.struct_size);
    return nullptr;
  }

  static int32_t lost(void* device) { return self(device).lost() ? 1 : 0; }

  static percale_status* allocate(void* device, uint64_t bytes, void** out_memory) {
    *out_memory = nullptr;
    return catch_to_c([&]() -> Status {
      ServedDevice& own = self(device);
      if (bytes == 0 || bytes > static_cast<uint64_t>(INT64_MAX)) {
        return invalid_argument("allocate: wanted 1 to ", INT64_MAX, " bytes, got ", bytes);
      }
      const auto size = static_cast<int64_t>(bytes);
      PERCALE_ASSIGN_OR_RETURN(void* const memory, own.memory_->allocate(size));
      const std::lock_guard lock(own.mutex_);
      own.blocks_[memory] = size;
      *out_memory = memory;
      return {};
    });
  }

  static void free(void* device, void* memory) {
    ServedDevice& own = self(device);
    const std::lock_guard lock(own.mutex_);
    const auto block = own.blocks_.find(memory);
    if (block == own.blocks_.end()) return;
    own.memory_->free(memory, block->second);
    own.blocks_.erase(block);
  }

  static percale_status* copy(void*, void*, void* to, const void* from, uint64_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return nullptr;
  }

  static percale_status* compile(void* device, const void* graph, uint64_t bytes, void** out_executable) {
    *out_executable = nullptr;
    return catch_to_c([&]() -> Status {
      // The graph keeps its constants in these bytes.
      PERCALE_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> own,
                               Buffer::allocate(self(device).memory_, static_cast<int64_t>(bytes)));
      std::memcpy(own->data(), graph, bytes);
      PERCALE_ASSIGN_OR_RETURN(auto executable, Executable::compile(self(device), std::move(own)));
      *out_executable = executable.release();
      return {};
    });
  }

  static percale_status* execute(void* executable, void*, void* const* inputs, void* const* outputs) {
    return catch_to_c([&] { return static_cast<Executable*>(executable)->run(inputs, outputs); });
  }

  static void list_operands(void* executable, void (*found)(void* to, int32_t is_output, uint64_t bytes), void* to) {
    const auto& own = *static_cast<const Executable*>(executable);
    for (const uint64_t bytes : own.input_bytes()) found(to, 0, bytes);
    for (const uint64_t bytes : own.output_bytes()) found(to, 1, bytes);
  }

  static void executable_destroy(void* executable) { delete static_cast<Executable*>(executable); }
};

ServedDevice::ServedDevice(std::shared_ptr<Engine> engine, int32_t device, int64_t memory_limit)
    : engine_(std::move(engine)),
      device_(device),
      name_(name_of(*engine_, device)),
      memory_(std::make_shared<MemoryPool>(memory_limit, engine_->memory())) {
  options_.struct_size = sizeof options_;
  options_.memory_limit = static_cast<uint64_t>(memory_limit);
  options_.deterministic = engine_->options().deterministic ? 1 : 0;
  options_.tf32 = engine_->options().tf32 ? 1 : 0;
}

ServedDevice::~ServedDevice() {
  for (const auto& [memory, bytes] : blocks_) memory_->free(memory, bytes);
}

percale_device_description ServedDevice::describe() const {
  percale_device_description out{};
  if (device_ != kAllDevices) {
    out = engine_->devices()[static_cast<size_t>(device_)]->description();
  } else {
    out.model = "all devices of the process";
    out.places_nodes = 1;
    for (const auto& device : engine_->devices()) {
      if (device->is_home()) continue;
      out.memory_bytes += device->description().memory_bytes;
      out.gflops += device->description().gflops;
      out.gbytes_per_second += device->description().gbytes_per_second;
    }
  }
  out.shares_host_memory = 0;  // of the client
  return out;
}

bool ServedDevice::lost() const {
  return device_ != kAllDevices && engine_->devices()[static_cast<size_t>(device_)]->lost();
}

percale_served_device ServedDevice::entry() {
  percale_served_device out{};
  out.struct_size = sizeof out;
  out.name = name_.c_str();
  out.api = &api();
  out.device = this;
  out.options = &options_;
  out.list_operands = &Table::list_operands;
  return out;
}

const percale_device_api& ServedDevice::api() {
  static const percale_device_api table = [] {
    percale_device_api api{};
    api.struct_size = sizeof api;
    api.kind = "served";
    api.describe = &Table::describe;
    api.lost = &Table::lost;
    api.allocate = &Table::allocate;
    api.free = &Table::free;
    api.copy_from_host = &Table::copy;
    api.copy_to_host = &Table::copy;
    api.compile = &Table::compile;
    api.execute = &Table::execute;
    api.executable_destroy = &Table::executable_destroy;
    return api;
  }();
  return table;
}

}  // namespace percale

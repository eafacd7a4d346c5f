// Checks every kernel of the device on the rows of tests/ops. A kernel accepts a node or gives a
// reason. It writes its outputs completely and nothing else. It gives the same bits on one thread
// and on several, and the result of the CPU's portable kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/plan/evaluate.h"
#include "tests/conformance/samples.h"
#include "tests/conformance/subject.h"

namespace percale::conformance {
namespace {

constexpr uint64_t kGuard = 64;  // bytes after each operand that a kernel must not change

// One way to run a kernel: the initial contents of its outputs and scratch, and the function that
// runs its pieces.
struct Way {
  unsigned char fill;
  ParallelFor parallel;
};

struct Outcome {
  std::vector<std::vector<unsigned char>> outputs;
  int32_t error = 0;
};

// Fills device memory with the bytes at `from`, followed by the guard.
Status fill(const DeviceMemory& memory, const void* from, uint64_t bytes, unsigned char behind) {
  const std::vector<unsigned char> guard(memory.bytes() - bytes, behind);
  PERCALE_RETURN_IF_ERROR(memory.status());
  if (bytes > 0) PERCALE_RETURN_IF_ERROR(memory.write(0, from, bytes));
  return memory.write(bytes, guard.data(), guard.size());
}

bool guard_intact(const DeviceMemory& memory, uint64_t bytes, unsigned char behind) {
  std::vector<unsigned char> guard(memory.bytes() - bytes);
  if (!memory.read(bytes, guard.data(), guard.size()).ok()) return false;
  for (unsigned char byte : guard) {
    if (byte != behind) return false;
  }
  return true;
}

// Runs a planned kernel in memory of the device.
Result<Outcome> run_kernel(const PlannedKernel& kernel, const Sample& sample, const NodeView& view, const Way& way) {
  const Device& device = *subject().device;
  const auto behind = static_cast<unsigned char>(~way.fill);
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  std::vector<uint64_t> sizes;
  std::vector<void*> operands;
  // Each operand has a different guard byte, so that a copy past the end of another operand is
  // noticed.
  const auto guard_of = [&](size_t i) { return static_cast<unsigned char>(behind + 3 * i); };
  const auto add = [&](const void* from, uint64_t bytes) -> Status {
    memory.push_back(std::make_unique<DeviceMemory>(bytes + kGuard));
    sizes.push_back(bytes);
    operands.push_back(memory.back()->get());
    return fill(*memory.back(), from, bytes, guard_of(memory.size() - 1));
  };
  for (const Tensor& t : sample.inputs) {
    if (t.defined()) {
      PERCALE_RETURN_IF_ERROR(add(t.data(), static_cast<uint64_t>(t.bytes())));
    } else {
      operands.push_back(nullptr);
    }
  }
  const size_t first_output = memory.size();
  for (const ValueType& type : view.outputs) {
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(type.dtype, type.shape));
    const std::vector<unsigned char> before(static_cast<size_t>(bytes), way.fill);
    PERCALE_RETURN_IF_ERROR(add(before.data(), before.size()));
  }
  const auto scratch_bytes = static_cast<uint64_t>(kernel.scratch_bytes());
  const DeviceMemory scratch(scratch_bytes + kGuard);
  const std::vector<unsigned char> noise(scratch_bytes, way.fill);
  PERCALE_RETURN_IF_ERROR(fill(scratch, noise.data(), scratch_bytes, behind));

  RunContext run;
  run.parallel = way.parallel;
  void* queue = nullptr;
  if (device.api().stream_create) PERCALE_RETURN_IF_ERROR(from_c(device.api().stream_create(device.handle(), &queue)));
  const percale_launch launch{operands.data(), scratch.get(), queue, &run};
  if (device.api().launch != nullptr) {
    PERCALE_RETURN_IF_ERROR(
        from_c(device.api().launch(queue, kernel.run_function(), kernel.state(), &launch, operands.size())));
  } else {
    kernel.run(launch);
  }
  if (queue != nullptr) {
    const Status done = from_c(device.api().stream_synchronize(queue));
    device.api().stream_destroy(queue);
    PERCALE_RETURN_IF_ERROR(done);
  }

  if (!guard_intact(scratch, scratch_bytes, behind)) return internal_error("it wrote behind its scratch");
  Outcome out;
  out.error = run.error.load();
  for (size_t i = 0; i < memory.size(); ++i) {
    if (!guard_intact(*memory[i], sizes[i], guard_of(i))) return internal_error("it wrote behind an operand");
    std::vector<unsigned char> bytes(sizes[i]);
    if (sizes[i] > 0) PERCALE_RETURN_IF_ERROR(memory[i]->read(0, bytes.data(), bytes.size()));
    if (i >= first_output) {
      out.outputs.push_back(std::move(bytes));
    } else if (!bytes.empty()) {
      size_t input = 0;  // index among the inputs that are present
      for (size_t seen = 0;; ++input) {
        if (sample.inputs[input].defined() && seen++ == i) break;
      }
      if (std::memcmp(bytes.data(), sample.inputs[input].data(), bytes.size()) != 0) {
        return internal_error("it changed its input ", static_cast<uint64_t>(input));
      }
    }
  }
  return out;
}

// Describes the difference between an output and the portable kernel's; "" if there is none.
std::string difference(const std::vector<unsigned char>& got, const Tensor& wanted, double tolerance) {
  if (got.size() != static_cast<size_t>(wanted.bytes())) return "its size";
  if (got.empty()) return "";
  const auto* reference = static_cast<const unsigned char*>(wanted.data());
  if (!is_float(wanted.dtype())) return std::memcmp(got.data(), reference, got.size()) == 0 ? "" : "its elements";
  for (size_t i = 0; i < static_cast<size_t>(wanted.num_elements()); ++i) {
    const double a = element(wanted.dtype(), got.data(), i), b = element(wanted.dtype(), reference, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))) continue;
    return str_cat("element ", static_cast<uint64_t>(i), ": ", a, ", the portable kernel gives ", b);
  }
  return "";
}

// Returns the result of the portable kernel, which is the last CPU kernel of the list that accepts
// the node. For a composite op it returns the result of its body, and for a fused node that of its
// body's nodes one by one. Returns nullopt on failure.
std::optional<std::vector<Tensor>> portable(const Registry& registry, const Sample& sample, const NodeView& view) {
  if (sample.graph != nullptr) {
    auto out =
        evaluate_function(*sample.graph, "cpu", sample.graph->main(), sample.inputs, subject().engine->memory(), {});
    if (!out.ok()) return {};
    return std::move(out).value();
  }
  std::string last;
  for (const Kernel& kernel : registry.kernels("cpu", *sample.schema)) {
    if (from_c(kernel.accepts(kernel.user, &view)).ok()) last = kernel.name;
  }
  if (last.empty() && sample.schema->body != nullptr) last = kBodyKernel;
  if (last.empty()) return {};
  auto out = evaluate_node(registry, "cpu", *sample.schema, "sample", sample.attributes, sample.inputs, sample.outputs,
                           subject().engine->memory(), {}, last);
  if (!out.ok()) return {};
  return std::move(out).value();
}

// Runs `kernel` on the sample in several ways. Returns true if it accepted the node.
bool check_kernel(const Kernel& kernel, const Sample& sample, const NodeView& view) {
  CAPTURE(sample.name);
  CAPTURE(std::string(kernel.name));
  const Registry& registry = *subject().engine->registry();
  if (const Status refused = from_c(kernel.accepts(kernel.user, &view)); !refused.ok()) {
    CHECK(refused.message() != "");
    return false;
  }
  const auto made = PlannedKernel::plan(kernel, view);
  if (!made.ok()) {
    CAPTURE(made.status().to_string());
    CHECK(sample.must_fail);
    return true;
  }
  const PlannedKernel& planned = **made;
  const auto first = run_kernel(planned, sample, view, {0xCD, {}});
  const auto second = run_kernel(planned, sample, view, {0x32, subject().device->parallel()});
  CAPTURE(first.status().to_string());
  CAPTURE(second.status().to_string());
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(first->error == second->error);
  const auto reference = portable(registry, sample, view);
  CHECK((first->error == 0) == reference.has_value());
  if (first->error != 0 || !reference) return true;
  CHECK(first->outputs == second->outputs);
  for (size_t i = 0; i < reference->size(); ++i) {
    CHECK(difference(first->outputs[i], (*reference)[i], sample.tolerance) == "");
  }
  return true;
}

}  // namespace

TEST_CASE("every kernel refuses with a reason, or gives the result of the CPU's portable kernel on any threads") {
  const Registry& registry = *subject().engine->registry();
  auto samples = samples_for(registry, subject().device->kind());
  REQUIRE_MESSAGE(samples.ok(), samples.status().to_string());
  auto groups = fused_samples(subject().engine->registry());
  REQUIRE_MESSAGE(groups.ok(), groups.status().to_string());
  std::move(groups->begin(), groups->end(), std::back_inserter(*samples));
  std::set<std::string> taken, kernels;
  for (const OpSchema* schema : registry.ops()) {
    for (const Kernel& kernel : registry.kernels(subject().device->kind(), *schema)) {
      // Formats occur only in plans. So only the last kernel of Reorder, which copies, has samples.
      if (schema->name == "Reorder" && !std::string_view(kernel.name).starts_with("portable")) continue;
      kernels.insert(kernel.name);
    }
  }
  for (const Sample& sample : *samples) {
    const auto view = view_of(sample);
    if (!view.ok()) {
      CAPTURE(sample.name);
      CAPTURE(view.status().to_string());
      CHECK(sample.must_fail);
      continue;
    }
    bool is_static = true;
    for (const ValueType& type : view->outputs) is_static = is_static && type.shape.is_static();
    if (!is_static) continue;  // only the executor can size such outputs
    for (const Kernel& kernel : registry.kernels(subject().device->kind(), *sample.schema)) {
      if (check_kernel(kernel, sample, *view)) taken.insert(kernel.name);
    }
  }
  for (const std::string& kernel : kernels) {
    CAPTURE(kernel);
    CHECK(taken.contains(kernel));
  }
}

}  // namespace percale::conformance

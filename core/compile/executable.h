// Partitions that a device compiles as a whole.
#ifndef PERCALE_CORE_COMPILE_EXECUTABLE_H_
#define PERCALE_CORE_COMPILE_EXECUTABLE_H_

#include <memory>

#include "core/engine/engine.h"
#include "core/graph/graph.h"
#include "core/plan/program.h"

namespace percale {

// A compiled partition. Must not outlive the device. Thread-safe as far as the device is.
class Executable {
 public:
  // Passes `function` to the device as the bytes of a file whose "main" it is. The function must be
  // closed and have static types. Errors name the device.
  static Result<std::shared_ptr<const Executable>> compile(const Device& device, const Graph& graph,
                                                           const Function& function);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // Runs the partition, or enqueues it on the stream. `stream` is null if the device has none.
  // Addresses are those of the device.
  Status execute(void* stream, void* const* inputs, void* const* outputs) const;

 private:
  Executable(const Device& device, void* handle) : device_(device), handle_(handle) {}
  // `execute` reads as many addresses as the device says that the executable has operands.
  Status check_operands(const Function& function) const;

  const Device& device_;
  void* handle_;
};

// The input of a function whose memory an output may take: its only reader is the node that
// computes the output, which works in place. -1 if there is none.
int32_t input_to_overwrite(const Function& function, size_t output);

// The program of such a partition: one instruction, which needs all inputs and gives all outputs.
std::shared_ptr<const Program> whole_program(const Function& function, std::string_view device_kind);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_EXECUTABLE_H_

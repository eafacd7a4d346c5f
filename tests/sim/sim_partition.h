// Partitions that a sim device runs as a whole, by an engine of another copy of the library, as
// another machine would.
#ifndef PERCALE_TESTS_SIM_SIM_PARTITION_H_
#define PERCALE_TESTS_SIM_SIM_PARTITION_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/sim/plugin.h"

namespace percale_sim {

// A compiled partition. run() is called by one thread at a time.
class Partition {
 public:
  // Compiles the bytes of a .percale file. On an error, sets *out_error and *out_code.
  static std::unique_ptr<Partition> compile(const void* graph, uint64_t bytes, int32_t* out_code,
                                            std::string* out_error);
  ~Partition();
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return outputs_.size(); }
  // Runs with host-accessible addresses, in the order of the inputs and outputs of "main". The
  // error's text is valid until the next call.
  Error run(void* const* inputs, void* const* outputs);

 private:
  struct Type {
    percale_dtype dtype;
    std::vector<int64_t> dims;
    size_t bytes;
  };
  Partition() = default;
  percale_status* describe(percale_builder* builder, bool input, std::vector<Type>& out);
  percale_status* make_tensors(const std::vector<Type>& types, void* const* data,
                               std::vector<percale_tensor*>& out) const;

  percale_graph* graph_ = nullptr;
  percale_session* session_ = nullptr;
  percale_call* call_ = nullptr;
  std::vector<std::string> names_;
  std::vector<Type> inputs_, outputs_;
  std::string message_;
};

}  // namespace percale_sim

#endif  // PERCALE_TESTS_SIM_SIM_PARTITION_H_

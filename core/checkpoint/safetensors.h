// Reads and writes the safetensors format: eight bytes with the length of a JSON header, the
// header, and the tensors without gaps.
#ifndef PERCALE_CORE_CHECKPOINT_SAFETENSORS_H_
#define PERCALE_CORE_CHECKPOINT_SAFETENSORS_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/tensor/tensor.h"

namespace percale {

// A safetensors file that was read. The bytes are not trusted: header length, JSON, dtypes, dims
// and offsets are checked before any tensor is created. As the format requires, tensors must cover
// the data without overlap or gap. Immutable, thread-safe.
class Safetensors {
 public:
  struct Entry {
    std::string name;
    DType dtype = DType::kInvalid;
    Shape shape;
    int64_t offset = 0;  // in the file
    int64_t bytes = 0;
  };

  // Maps the file, or reads it into memory of the pool (load_file()). Errors begin with the path.
  // INVALID_ARGUMENT: not a safetensors file. UNIMPLEMENTED: an unknown dtype. DATA_LOSS: the file
  // is cut short.
  static Result<std::shared_ptr<const Safetensors>> open(const std::string& path,
                                                         const std::shared_ptr<MemoryPool>& pool = nullptr);
  static Result<std::shared_ptr<const Safetensors>> parse(std::shared_ptr<Buffer> bytes);

  // In the order of offsets.
  const std::vector<Entry>& entries() const { return entries_; }
  // Returns null if there is none.
  const Entry* find(std::string_view name) const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // Returns the tensor. It refers to the file's memory if it is 64-byte aligned there, else it is a
  // copy outside of any pool. Without `aligned` it always refers to the file's memory, for callers
  // that copy bytes. NOT_FOUND names the nearest name.
  Result<Tensor> tensor(std::string_view name, bool aligned = true) const;

 private:
  Safetensors() = default;
  std::shared_ptr<Buffer> bytes_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, size_t> index_;
  std::map<std::string, std::string> metadata_;
};

// The bytes of a file before its tensors, and the order in which these follow. The result does not
// depend on the order of `tensors`. Tensors whose size is a multiple of 64 bytes come first, so
// that they can be mapped. The others follow, wide dtypes first. Each group is sorted by name.
// INVALID_ARGUMENT: a name is empty or occurs twice. UNIMPLEMENTED: a dtype that the format does
// not have.
struct SafetensorsImage {
  std::string head;
  std::vector<Tensor> tensors;
};
Result<SafetensorsImage> make_safetensors_image(std::span<const NamedTensor> tensors,
                                                const std::map<std::string, std::string>& metadata = {});

// Replaces the file atomically. Writes the tensors directly from their memory.
Status write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                         const std::map<std::string, std::string>& metadata = {});

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_SAFETENSORS_H_

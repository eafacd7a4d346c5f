// Reads NumPy's .npz format: a zip archive of .npy files, stored or deflated.
#ifndef PERCALE_CORE_CHECKPOINT_NPZ_H_
#define PERCALE_CORE_CHECKPOINT_NPZ_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/base/memory.h"
#include "core/tensor/tensor.h"

namespace percale {

// Returns the tensor `name` (the archive's member `name`.npy). The archive is not trusted: sizes
// are checked before memory is allocated, and the member's CRC-32 before it is parsed. NOT_FOUND
// names the nearest name. INVALID_ARGUMENT: not an archive. UNIMPLEMENTED: another compression.
// DATA_LOSS: the file is cut short or damaged. Errors begin with the path. A stored member stays in
// the mapped file under the conditions of parse_npy(). A deflated one uses memory of the pool.
Result<Tensor> read_npz(const std::string& path, std::string_view name, const std::shared_ptr<MemoryPool>& pool,
                        bool aligned = true);

// Reads all members. Returns the errors of read_npz().
Status check_npz(const std::string& path, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_NPZ_H_

// NumPy's .npz: a zip archive of .npy files, stored or deflated.
#ifndef PERCALE_CORE_CHECKPOINT_NPZ_H_
#define PERCALE_CORE_CHECKPOINT_NPZ_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/base/memory.h"
#include "core/tensor/tensor.h"

namespace percale {

// The tensor `name` (the archive's member `name`.npy). The archive is not trusted: sizes are checked before memory is taken, and
// the member's CRC-32 before it is read. NOT_FOUND names the nearest; INVALID_ARGUMENT for what is no archive, UNIMPLEMENTED for
// another compression, DATA_LOSS for what is cut or damaged. Errors begin with the path. A member that is stored stays in the
// file, which is mapped, as parse_npy() says; a deflated one takes memory of the pool.
Result<Tensor> read_npz(const std::string& path, std::string_view name, const std::shared_ptr<MemoryPool>& pool,
                        bool aligned = true);

// Reads all members: the errors of read_npz().
Status check_npz(const std::string& path, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_NPZ_H_

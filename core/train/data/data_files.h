// Loads tensors from files of any format that data sets read.
#ifndef PERCALE_CORE_TRAIN_DATA_DATA_FILES_H_
#define PERCALE_CORE_TRAIN_DATA_DATA_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace percale {

// Loads a .npy file, the tensor called `name` of a .safetensors or .npz file, or else an IDX file
// (plain or gzip). Errors name the path. Data whose layout in the file is its layout in memory
// stays mapped and may be unaligned, so the tensor suits callers that copy rows bytewise, as data
// sets do. Compressed, big-endian (IDX elements over one byte) and Fortran-ordered data is read
// whole.
Result<Tensor> load_tensor_file(const std::string& path, const std::string& name,
                                const std::shared_ptr<MemoryPool>& pool);

// True if the path ends in `ending`, ignoring the path's case. `ending` must be lower case.
bool has_ending(std::string_view path, std::string_view ending);

// Returns the path in the first folder that has the file, or has it with ".gz" added or removed.
// Absolute names are taken as they are. NOT_FOUND lists the folders that were searched.
Result<std::string> find_data_file(const std::string& name, const std::vector<std::string>& folders);

// Returns the folders that are searched after those of the caller: PERCALE_DATA and the user's
// cache folder.
std::vector<std::string> default_data_folders();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_DATA_FILES_H_

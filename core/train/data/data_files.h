// Tensors from files of any of the formats that data sets read.
#ifndef PERCALE_CORE_TRAIN_DATA_DATA_FILES_H_
#define PERCALE_CORE_TRAIN_DATA_DATA_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace percale {

// A .npy file, the tensor called `name` of a .safetensors or .npz file, else IDX (plain or gz). Errors name the path. What
// lies in the file as it lies in memory stays there, mapped, and need not be aligned: the tensor is for those who copy rows by the
// byte, as data sets do. Compressed, big-endian (IDX of more than a byte too) and Fortran-ordered elements are read whole.
Result<Tensor> load_tensor_file(const std::string& path, const std::string& name,
                                const std::shared_ptr<MemoryPool>& pool);

// Whether the path ends like `ending`, which is in lower case, whatever its own case is.
bool has_ending(std::string_view path, std::string_view ending);

// The first of the folders that has the file, or it with ".gz" added or taken away. An absolute name stands for itself.
// NOT_FOUND lists where it was looked for.
Result<std::string> find_data_file(const std::string& name, const std::vector<std::string>& folders);

// Where data is looked up after the folders that a caller gives: PERCALE_DATA, and the user's cache folder.
std::vector<std::string> default_data_folders();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_DATA_FILES_H_

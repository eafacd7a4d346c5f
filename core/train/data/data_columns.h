// The columns of a data set by the files that hold them.
#ifndef PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_
#define PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/train/data/dataset.h"

namespace percale {

// One column and where it lies: paths of files of one kind, whose rows follow each other. "file#name" says which tensor of a .npz
// or .safetensors file, or which columns of a CSV file, separated by commas; without it the tensor is called as the column. Of a
// CSV file: the column of that name, or the only one, or all; where several columns of a set lie in one CSV file, the last of it
// where none is called so, and for "x" all that are nobody else's.
struct ColumnFiles {
  std::string name;
  std::vector<std::string> paths;
  DType dtype =
      DType::kInvalid;  // kInvalid: integers of rank 1 become i64, u8 of a higher rank f32 unless `scale` is 0, CSV i64
                        // where it is a single column of whole numbers, else f32; others stay
  double scale = 1;     // of what becomes float from integers
  bool keeps_floats = false;  // of tensor files: floats stay where `dtype` is one of integers
};

// Resolves a path as it stands there to one of a file.
using FindFile = std::function<Result<std::string>(const std::string&)>;

// The columns side by side. Files that can be mapped are, and CSV is read as it is wanted: the whole may be larger than memory
// (core/train/data/data_files.h says which files are read whole).
Result<std::shared_ptr<Dataset>> load_columns(const std::vector<ColumnFiles>& columns, const FindFile& find,
                                              const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_

// The columns of a data set by the files that hold them.
#ifndef PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_
#define PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/train/data/csv_rules.h"
#include "core/train/data/dataset.h"

namespace percale {

// One column and where it lies: paths of files of one kind, whose rows follow each other. "file#name" says
// which tensor of a .npz or .safetensors file, or which columns of a CSV file, separated by commas; without it
// the tensor is called as the column. Of a CSV file: the column of that name, or the only one, or all; where
// several columns of a set lie in one CSV file, the last of it where none is called so, and for "x" all that
// are nobody else's. One column gives scalars, unless a comma stands behind its name.
struct ColumnFiles {
  std::string name;
  std::vector<std::string> paths;
  // kInvalid: integers of rank 1 become i64, u8 of a higher rank f32 unless `scale` is 0, CSV as
  // default_dtype() says; others stay.
  DType dtype = DType::kInvalid;
  double scale = 1;           // of what becomes float from integers
  bool keeps_floats = false;  // of tensor files: floats stay where `dtype` is one of integers
};

// Resolves a path as it stands there to one of a file.
using FindFile = std::function<Result<std::string>(const std::string&)>;

// The columns side by side. Files that can be mapped are, and CSV is read as it is wanted: the whole may be
// larger than memory (core/train/data/data_files.h says which files are read whole). `rules` are for CSV files;
// the set's csv_rules() are these rules, completed.
Result<std::shared_ptr<Dataset>> load_columns(const std::vector<ColumnFiles>& columns, const CsvRules& rules,
                                              const FindFile& find, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_

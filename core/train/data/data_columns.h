// Makes data sets from lists of columns and the files that hold them.
#ifndef PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_
#define PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/train/data/csv_rules.h"
#include "core/train/data/dataset.h"

namespace percale {

// One column and its files, all of one kind; their rows are concatenated. "file#name" selects a
// tensor of a .npz or .safetensors file, or columns of a CSV file, separated by commas.
//
// Without "#" the tensor has the name of the column. In a CSV file it is the column of that name.
// If there is none and only this column uses the file, it is all columns of the file. If several
// columns of the data set share the CSV file, "x" takes all columns that no other one takes, and
// any other name takes the last column. A single column gives scalars, unless a comma follows its
// name.
struct ColumnFiles {
  std::string name;
  std::vector<std::string> paths;
  // kInvalid: integers of rank 1 become i64; u8 of a higher rank becomes f32 unless `scale` is 0;
  // CSV columns get default_dtype(); others keep their dtype.
  DType dtype = DType::kInvalid;
  double scale = 1;  // factor for integers that become floats
  // for tensor files: floats keep their dtype if `dtype` is an integer type
  bool keeps_floats = false;
};

// Resolves a path from a column list to the path of a file.
using FindFile = std::function<Result<std::string>(const std::string&)>;

// Loads the columns as one data set. Files are mapped where possible and CSV is read on demand, so
// the whole may be larger than memory. core/train/data/data_files.h says which files are read
// whole. `rules` apply to CSV files; the data set's csv_rules() are these rules, completed.
Result<std::shared_ptr<Dataset>> load_columns(const std::vector<ColumnFiles>& columns, const CsvRules& rules,
                                              const FindFile& find, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_DATA_COLUMNS_H_

// Converts columns of CSV files to numbers. The types of columns are learned from a file and stored
// for the next one.
#ifndef PERCALE_CORE_TRAIN_DATA_CSV_COLUMNS_H_
#define PERCALE_CORE_TRAIN_DATA_CSV_COLUMNS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/train/data/csv_rules.h"
#include "core/train/data/row_source.h"

namespace percale {

// The columns of one file that make up a column of a data set.
struct CsvPart {
  std::shared_ptr<const CsvFile> file;
  std::vector<size_t> columns;
};

// Completes the rules for the data set's column `input`, whose rows are in these files. Afterwards
// no type is "auto", categories have their words, and no missing value is "mean". Reads all rows
// unless the rules were learned before and are complete. INVALID_ARGUMENT names file, line and
// column of a field that does not fit.
Result<CsvInput> learn_columns(std::span<const CsvPart> parts, const CsvRules& rules, std::string_view input,
                               bool alone);

// Returns i64 for a single column of integers or categories, else f32.
DType default_dtype(const CsvInput& input);

// Returns rows of f32, f64 or i64. A category in a column of its own is its number. Among several
// columns it is one-hot. `input` must be complete.
Result<std::shared_ptr<const RowSource>> csv_rows(CsvPart part, std::string name, std::shared_ptr<const CsvInput> input,
                                                  DType dtype);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_CSV_COLUMNS_H_

// Columns of CSV files as numbers: what they hold is learnt from a file, and kept for the next one.
#ifndef PERCALE_CORE_TRAIN_DATA_CSV_COLUMNS_H_
#define PERCALE_CORE_TRAIN_DATA_CSV_COLUMNS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/train/data/csv_rules.h"
#include "core/train/data/row_source.h"

namespace percale {

// The columns of one file that a column of a data set takes.
struct CsvPart {
  std::shared_ptr<const CsvFile> file;
  std::vector<size_t> columns;
};

// Completes the rules for the data set's column `input`, whose rows lie in these files: no type is "auto"
// afterwards, categories have their words, no missing value is a mean. Reads all rows, unless the rules say
// everything because they were learnt before. INVALID_ARGUMENT names file, line and column of a field that does not fit.
Result<CsvInput> learn_columns(std::span<const CsvPart> parts, const CsvRules& rules, std::string_view input,
                               bool alone);

// i64 for a column alone that holds integers or categories, else f32.
DType default_dtype(const CsvInput& input);

// Rows of f32, f64 or i64. A category alone is its number; beside other columns it is a one for its word
// and zeros for the others. `input` is complete.
Result<std::shared_ptr<const RowSource>> csv_rows(CsvPart part, std::string name, std::shared_ptr<const CsvInput> input,
                                                  DType dtype);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_CSV_COLUMNS_H_

// How the columns of CSV files become numbers, as JSON and as it was learnt from a file.
#ifndef PERCALE_CORE_TRAIN_DATA_CSV_RULES_H_
#define PERCALE_CORE_TRAIN_DATA_CSV_RULES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/train/data/csv.h"
#include "core/train/method/key_table.h"

namespace percale {

// The key of a model's metadata that holds the rules of its training data.
inline constexpr std::string_view kCsvMetadata = "percale.csv";

// What stands for a missing value.
struct CsvMissing {
  enum class Kind { kError, kNan, kMean, kNumber };
  Kind kind = Kind::kError;
  double number = 0;

  // Whether it can stand in a column of integers.
  bool fits_integers() const;
};

// A column of a file. A plain value.
struct CsvColumn {
  std::string name;
  std::string type = "auto";  // "number", "integer", "category", or "auto": learnt from the file
  std::optional<CsvMissing> missing;
  std::vector<std::string> words;  // of categories, in the order of their numbers; empty: learnt from the file
};

// The columns of files that one column of a data set is made of.
struct CsvInput {
  std::vector<CsvColumn> columns;
  bool alone = false;  // its rows are scalars; else they have a dim for each number
};

// The rules for a data set. What it was made with describes it, and makes the next one alike. A plain value.
struct CsvRules {
  CsvDialect dialect;
  CsvMissing missing;                      // of columns without a rule of their own
  std::vector<CsvColumn> columns;          // by their names in the files
  std::map<std::string, CsvInput> inputs;  // by the data set's columns; before `columns`

  // The rule for a column of a file that is part of a data set's column.
  CsvColumn rule(std::string_view input, std::string_view column) const;
};

// Messages name `where`, the place of the JSON.
Result<CsvRules> parse_csv_rules(const Json& json, std::string_view where);
Result<CsvRules> parse_csv_rules(std::string_view json);
// parse_csv_rules() reads it back.
std::string csv_rules_json(const CsvRules& rules);
std::vector<KeyFacts> csv_rules_facts();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_CSV_RULES_H_

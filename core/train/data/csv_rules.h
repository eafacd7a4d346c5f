// Rules for converting columns of CSV files to numbers, as JSON and as learned from a file.
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

// The key in a model's metadata that holds the CSV rules of its training data.
inline constexpr std::string_view kCsvMetadata = "percale.csv";

// The replacement for a missing value.
struct CsvMissing {
  enum class Kind { kError, kNan, kMean, kNumber };
  Kind kind = Kind::kError;
  double number = 0;

  // True if the replacement can be stored in a column of integers.
  bool fits_integers() const;
};

// A column of a file. A plain value.
struct CsvColumn {
  std::string name;
  std::string type = "auto";  // "number", "integer", "category", or "auto": learned from the file
  std::optional<CsvMissing> missing;
  // of categories, in the order of their numbers; empty: learned from the file
  std::vector<std::string> words;
};

// The columns of files that make up one column of a data set.
struct CsvInput {
  std::vector<CsvColumn> columns;
  bool alone = false;  // true: rows are scalars; false: rows have a dim with an entry per number
};

// The rules for a data set. A data set reports the rules that it was made with; they make another
// data set the same way. A plain value.
struct CsvRules {
  CsvDialect dialect;
  CsvMissing missing;              // for columns without a rule of their own
  std::vector<CsvColumn> columns;  // by column name in the files
  // by column of the data set; takes precedence over `columns`
  std::map<std::string, CsvInput> inputs;

  // Returns the rule for column `column` of a file that is part of column `input` of a data set.
  CsvColumn rule(std::string_view input, std::string_view column) const;
};

// Parses rules. `where` is the path of the JSON value, for error messages. The messages of the
// second function begin with "csv: ".
Result<CsvRules> parse_csv_rules(const Json& json, std::string_view where);
Result<CsvRules> parse_csv_rules(std::string_view json);
// Returns JSON that parse_csv_rules() reads back.
std::string csv_rules_json(const CsvRules& rules);
std::vector<KeyFacts> csv_rules_facts();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_CSV_RULES_H_

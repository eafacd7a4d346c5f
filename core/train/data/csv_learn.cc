// Learns what columns of CSV files hold.
#include <cmath>
#include <set>

#include "core/text/utf8.h"
#include "core/train/data/csv_columns.h"

namespace percale {
namespace {

constexpr size_t kMostWords = 100000;  // of a category
constexpr size_t kMostOnes = 1000;     // of a category among several columns, where it is one-hot

// The first field of a given kind in a column.
struct Found {
  const CsvFile* file = nullptr;
  int64_t row = 0;
  std::string text;
};

// Learns the type of one column from its fields.
class Learner {
 public:
  Learner(CsvColumn rule, bool alone) : out_(std::move(rule)), alone_(alone) {}

  bool knows_all() const {
    return out_.type != "auto" && (out_.type != "category" || !out_.words.empty()) &&
           out_.missing->kind != CsvMissing::Kind::kMean;
  }

  // Returns false if there are more different words than a category may have.
  bool add(const CsvField& field, const CsvFile& file, int64_t row) {
    const auto note = [&](Found& found) {
      if (found.file == nullptr) found = {&file, row, field.value()};
    };
    if (field.is_missing()) {
      note(missing_);
      return true;
    }
    double number = 0;
    const bool is_number = field.read(&number);
    if (is_number && out_.type != "category") {
      note(number_);
      int64_t whole = 0;
      if (!field.read(&whole)) note(fraction_);
      sum_ += number;
      ++count_;
      return true;
    }
    note(text_);
    const bool is_category = out_.type == "category" || (out_.type == "auto" && number_.file == nullptr);
    if (is_category && words_to_learn()) words_.insert(field.value());
    return words_.size() <= kMostWords;
  }

  Result<CsvColumn> finish(size_t column) {
    column_ = column;
    if (out_.type == "auto") PERCALE_RETURN_IF_ERROR(choose_type());
    if (out_.type == "category") return finish_category();
    if (text_.file != nullptr) {
      return error(text_, "'", text_.text.substr(0, 40), "' is not a number, but the column's type is ", out_.type);
    }
    PERCALE_RETURN_IF_ERROR(settle_missing());
    if (out_.type == "integer" && fraction_.file != nullptr) {
      return error(fraction_, "'", fraction_.text, "' is not a whole number, but the column's type is integer");
    }
    return std::move(out_);
  }

  Status too_many_words() const {
    return error(text_, "the column has more than ", static_cast<uint64_t>(kMostWords),
                 " different values, too many for categories");
  }

 private:
  bool words_to_learn() const { return out_.words.empty(); }

  template <class... Parts>
  Status error(const Found& at, const Parts&... parts) const {
    return invalid_argument(at.file->where(at.row, column_), ": ", parts...);
  }

  Status choose_type() {
    if (text_.file != nullptr && number_.file != nullptr) {
      return error(text_, "'", text_.text.substr(0, 40),
                   "' is not a number, but other fields of the column are: correct it, or give the column the type "
                   "\"category\" (if line 1 is a header: \"header\": true)");
    }
    out_.type = text_.file != nullptr                                  ? "category"
                : number_.file != nullptr && fraction_.file == nullptr ? "integer"
                                                                       : "number";
    // An integer column needs an integer as replacement for missing values. Otherwise the column
    // becomes one of floats, or missing values become an error.
    if (out_.type != "integer" || out_.missing->fits_integers()) return {};
    if (missing_.file != nullptr || !alone_) {
      out_.type = "number";
    } else {
      out_.missing->kind = CsvMissing::Kind::kError;
    }
    return {};
  }

  Status settle_missing() {
    CsvMissing& missing = *out_.missing;
    if (missing_.file != nullptr && missing.kind == CsvMissing::Kind::kError) {
      return error(
          missing_,
          "the value is missing: fill it in, or choose a replacement: \"missing\": \"mean\", \"nan\" or a number");
    }
    if (out_.type == "integer" && !missing.fits_integers()) {
      return invalid_argument("column '", out_.name,
                              "' has the type integer: the replacement for missing values must be a whole number");
    }
    if (missing.kind != CsvMissing::Kind::kMean) return {};
    missing = {CsvMissing::Kind::kNumber, sum_ / static_cast<double>(count_)};
    if (std::isfinite(missing.number)) return {};
    return invalid_argument("column '", out_.name, "' has no mean that could replace missing values");
  }

  Result<CsvColumn> finish_category() {
    if (missing_.file != nullptr && (alone_ || out_.missing->kind == CsvMissing::Kind::kError)) {
      return error(missing_, alone_ ? "the category is missing"
                                    : "the category is missing: fill it in, or encode it as zeros: \"missing\": 0");
    }
    if (out_.missing->kind != CsvMissing::Kind::kError) *out_.missing = {CsvMissing::Kind::kNumber, 0};
    for (const std::string& word : words_) {
      if (!is_utf8(word))
        return error(text_, "the column contains text that is not valid UTF-8: save the file as UTF-8");
    }
    if (words_to_learn()) out_.words.assign(words_.begin(), words_.end());
    if (!alone_ && out_.words.size() > kMostOnes) {
      return error(text_, "the column has ", static_cast<uint64_t>(out_.words.size()),
                   " different values, but at most ", static_cast<uint64_t>(kMostOnes),
                   " fit beside other columns: make it an input of its own");
    }
    return std::move(out_);
  }

  CsvColumn out_;
  bool alone_;
  size_t column_ = 0;
  Found missing_, number_, fraction_, text_;
  double sum_ = 0;
  int64_t count_ = 0;
  std::set<std::string> words_;  // sorted bytewise, so the order of rows does not matter
};

Status look_at(const CsvPart& part, std::vector<Learner>& learners) {
  std::vector<CsvField> fields;
  CsvFile::Place place;
  for (int64_t row = 0; row < part.file->rows(); ++row) {
    PERCALE_RETURN_IF_ERROR(part.file->read(row, &fields, &place));
    for (size_t i = 0; i < learners.size(); ++i) {
      if (!learners[i].add(fields[part.columns[i]], *part.file, row)) return learners[i].too_many_words();
    }
  }
  return {};
}

}  // namespace

Result<CsvInput> learn_columns(std::span<const CsvPart> parts, const CsvRules& rules, std::string_view input,
                               bool alone) {
  std::vector<Learner> learners;
  // With complete rules no pass over the file is needed: rows are checked as they are read.
  bool all_known = rules.inputs.contains(std::string(input));
  for (size_t column : parts[0].columns) {
    learners.emplace_back(rules.rule(input, parts[0].file->names()[column]), alone);
    all_known = all_known && learners.back().knows_all();
  }
  for (const CsvPart& part : parts) {
    if (!all_known) PERCALE_RETURN_IF_ERROR(look_at(part, learners));
  }
  CsvInput out;
  out.alone = alone;
  for (size_t i = 0; i < learners.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out.columns.emplace_back(), learners[i].finish(parts[0].columns[i]));
  }
  return out;
}

}  // namespace percale

// Text files whose rows consist of fields (CSV, TSV). The rules are in c_api/SPEC.md, "CSV files".
#ifndef PERCALE_CORE_TRAIN_DATA_CSV_H_
#define PERCALE_CORE_TRAIN_DATA_CSV_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"

namespace percale {

// Describes how a file is written. A plain value.
struct CsvDialect {
  char separator = '\0';       // '\0': a tab for .tsv files, a comma for others
  std::optional<bool> header;  // absent: detected; true if no field of the first row is a number
};

// A field of a row: a slice of the file without surrounding blanks and quotes.
struct CsvField {
  std::string_view text;
  bool quoted = false;
  bool escaped = false;  // contains two quotes that stand for one

  // True for an empty field and for an unquoted NA, N/A, NaN or null in any case.
  bool is_missing() const;
  // Returns the text, with doubled quotes replaced by one.
  std::string value() const;
  // Returns false if the text is not a number of that kind. Out-of-range floats become infinite or
  // 0: 1e39 is infinite as f32, 1e-50 is 0.
  bool read(float* out) const;
  bool read(double* out) const;
  bool read(int64_t* out) const;  // whole numbers only; "3.0" is one
};

// True for file names that CsvFile reads: .csv and .tsv, also with .gz, in any case.
bool is_csv_path(std::string_view path);

// A file of rows that all have the same number of fields. Plain files are mapped and parsed on
// demand, so they may be larger than memory; the offset of every 64th row is stored. Compressed
// files are read whole. Immutable, thread-safe.
class CsvFile {
 public:
  // Errors name path and line. INVALID_ARGUMENT: rows of different lengths, unclosed quotes,
  // UTF-16, a file without rows.
  static Result<std::shared_ptr<const CsvFile>> open(const std::string& path, const CsvDialect& dialect,
                                                     const std::shared_ptr<MemoryPool>& pool);

  int64_t rows() const { return rows_; }
  // The names in the header, or "0", "1", ... without one.
  const std::vector<std::string>& names() const { return names_; }
  bool has_header() const { return has_header_; }
  // Returns the index of a column by name. NOT_FOUND names the nearest name; INVALID_ARGUMENT if
  // two columns have the name.
  Result<size_t> find(std::string_view name) const;

  // A reader's position. Makes it cheap to find the next row.
  struct Place {
    int64_t row = -1;
    size_t next = 0;  // offset at which row + 1 begins
  };
  // Returns DATA_LOSS if the file has been truncated since it was opened. Call it before reading
  // rows.
  Status check() const;
  // Reads the fields of a row, as many as names(). They point into the file's memory.
  Status read(int64_t row, std::vector<CsvField>* fields, Place* place) const;
  // Returns "'houses.csv', line 12, column 'area'" for messages. Lines are counted as in an editor.
  std::string where(int64_t row, size_t column) const;

 private:
  CsvFile() = default;
  Status load(const std::string& path, const std::shared_ptr<MemoryPool>& pool);
  Status read_header(const CsvDialect& dialect);
  Status index_rows();
  Status next_row(size_t* at, std::vector<CsvField>* fields) const;
  void find_row(int64_t row, Place* place) const;
  size_t skip_empty_lines(size_t at) const;
  int64_t line_of(size_t at) const;

  std::string path_;
  std::shared_ptr<Buffer> bytes_;
  std::string_view text_;
  char separator_ = ',';
  bool has_header_ = false;
  size_t first_row_ = 0;       // offset of the first row
  std::vector<size_t> index_;  // offsets of every 64th row
  std::vector<std::string> names_;
  int64_t rows_ = 0;
};

// Splits one line into fields, as in a selection of columns: "rooms,\"area, m2\"".
std::vector<std::string> csv_line(std::string_view line);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_CSV_H_

// Text files of fields in rows. c_api/SPEC.md, "CSV files", has the rules.
#ifndef PERCALE_CORE_TRAIN_DATA_CSV_H_
#define PERCALE_CORE_TRAIN_DATA_CSV_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"

namespace percale {

// How a file is written. A plain value.
struct CsvDialect {
  char separator = '\0';       // between fields; '\0': a tab in .tsv files, a comma elsewhere
  std::optional<bool> header;  // absent: there is one where the first row has no number
};

// A field of a row: a part of the file, without the blanks and the quotes around it.
struct CsvField {
  std::string_view text;
  bool quoted = false;
  bool escaped = false;  // two quotes stand for one

  // Nothing, or an unquoted NA, N/A, NaN or null in any case.
  bool is_missing() const;
  // The text itself, two quotes as one.
  std::string value() const;
  // False when it is no number of that kind. A float is rounded: 1e39 is infinite as f32, 1e-50 is 0.
  bool read(float* out) const;
  bool read(double* out) const;
  bool read(int64_t* out) const;  // whole numbers; "3.0" is one
};

// True for the names of files that CsvFile reads: .csv and .tsv, also with .gz, in any case.
bool is_csv_path(std::string_view path);

// A file of rows with the same number of fields. Plain files are mapped and read as they are wanted,
// so that they may be larger than memory; a place is kept for every 64th row. Compressed files are
// read whole. Immutable, thread-safe.
class CsvFile {
 public:
  // Errors name path and line: INVALID_ARGUMENT for rows of different lengths, quotes that are never
  // closed, UTF-16, and files without rows.
  static Result<std::shared_ptr<const CsvFile>> open(const std::string& path, const CsvDialect& dialect,
                                                     const std::shared_ptr<MemoryPool>& pool);

  int64_t rows() const { return rows_; }
  // Of the header, or "0", "1", ...
  const std::vector<std::string>& names() const { return names_; }
  bool has_header() const { return has_header_; }
  // The number of a column by its name; NOT_FOUND names the nearest, INVALID_ARGUMENT two of one name.
  Result<size_t> find(std::string_view name) const;

  // Where a reader of rows is; makes the next row quick to find.
  struct Place {
    int64_t row = -1;
    size_t next = 0;  // where row + 1 begins
  };
  // DATA_LOSS where the file has been cut short since: to be asked before rows are read.
  Status check() const;
  // The fields of a row, as many as names(). They are parts of the file's memory.
  Status read(int64_t row, std::vector<CsvField>* fields, Place* place) const;
  // "'houses.csv', line 12, column 'area'", for messages. The line is that of an editor.
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
  size_t first_row_ = 0;       // where it begins
  std::vector<size_t> index_;  // where every 64th row begins
  std::vector<std::string> names_;
  int64_t rows_ = 0;
};

// The fields of one line: a selection of columns, "rooms,\"area, m2\"".
std::vector<std::string> csv_line(std::string_view line);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_CSV_H_

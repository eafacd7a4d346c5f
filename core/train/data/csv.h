// Numbers in lines of text, separated by commas.
#ifndef PERCALE_CORE_TRAIN_DATA_CSV_H_
#define PERCALE_CORE_TRAIN_DATA_CSV_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"
#include "core/train/data/row_source.h"

namespace percale {

// A CSV file that is mapped: lines are read when they are wanted, so that it may be larger than memory; what is kept is where every
// 64th line begins. A first line with anything that is no number is a header. Fields may stand in double quotes, with spaces
// around them; empty lines are left out. Immutable, thread-safe.
class CsvFile {
 public:
  // Errors begin with the path. INVALID_ARGUMENT for a file without a line of numbers.
  static Result<std::shared_ptr<const CsvFile>> open(const std::string& path);

  int64_t rows() const { return rows_; }
  // Of the header, or "0", "1", ...
  const std::vector<std::string>& names() const { return names_; }
  // The number of a column by its name; NOT_FOUND names the nearest.
  Result<size_t> find(std::string_view name) const;
  // True when the columns of the first rows hold whole numbers alone.
  bool looks_whole(std::span<const size_t> columns) const;
  // The columns of a row as numbers. INVALID_ARGUMENT names line and column of what is none. `hint`: 0, or what the last call
  // left there, which makes the next row quick to find.
  struct Place {
    int64_t row = -1;
    size_t next = 0;  // where row + 1 begins
  };
  template <class T>
  Status read(int64_t row, std::span<const size_t> columns, T* out, Place* place) const;

 private:
  CsvFile() = default;
  std::string_view line_at(size_t* at) const;
  std::string_view find_row(int64_t row, Place* place) const;

  std::string path_;
  std::shared_ptr<Buffer> bytes_;
  std::string_view text_;
  std::vector<size_t> index_;  // where every 64th row begins
  std::vector<std::string> names_;
  int64_t rows_ = 0;
};

// One column `name` of f32, f64 or i64: a row is these columns of a line, or a scalar when `scalar`.
Result<std::shared_ptr<const RowSource>> csv_rows(std::shared_ptr<const CsvFile> file, std::string name,
                                                  std::vector<size_t> columns, DType dtype, bool scalar);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_CSV_H_

#include "core/train/data/csv.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/base/file.h"
#include "core/base/similar_name.h"
#include "core/registry/registry.h"

namespace percale {
namespace {

constexpr int64_t kStride = 64;      // rows from one entry of the index to the next
constexpr int64_t kLookedAt = 1000;  // rows that tell whole numbers from others

std::string_view trimmed(std::string_view field) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!field.empty() && space(field.front())) field.remove_prefix(1);
  while (!field.empty() && space(field.back())) field.remove_suffix(1);
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
  return field;
}

// The next field of a line, which is cut off it; false behind the last.
bool next_field(std::string_view* line, bool* more, std::string_view* field) {
  if (!*more) return false;
  bool quoted = false;
  size_t end = 0;
  for (; end < line->size() && ((*line)[end] != ',' || quoted); ++end) quoted ^= (*line)[end] == '"';
  *field = trimmed(line->substr(0, end));
  *more = end < line->size();
  line->remove_prefix(std::min(end + 1, line->size()));
  return true;
}

template <class T>
bool parse(std::string_view field, T* out) {
  if (!field.empty() && field.front() == '+') field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), *out);
  return error == std::errc() && end == field.data() + field.size() && !field.empty();
}

class CsvRows final : public RowSource {
 public:
  CsvRows(std::shared_ptr<const CsvFile> file, RowType type, std::vector<size_t> columns)
      : file_(std::move(file)), types_{std::move(type)}, columns_(std::move(columns)) {}
  int64_t rows() const override { return file_->rows(); }
  const std::vector<RowType>& types() const override { return types_; }
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>& pool,
                                     const ParallelFor&) const override {
    Shape shape{static_cast<int64_t>(numbers.size())};
    for (int64_t d : types_[0].shape) shape.push_back(d);
    PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, types_[0].dtype, shape));
    switch (types_[0].dtype) {
      case DType::kI64: PERCALE_RETURN_IF_ERROR(fill(numbers, out.mutable_span<int64_t>().data())); break;
      case DType::kF64: PERCALE_RETURN_IF_ERROR(fill(numbers, out.mutable_span<double>().data())); break;
      default: PERCALE_RETURN_IF_ERROR(fill(numbers, out.mutable_span<float>().data())); break;
    }
    return std::vector<Tensor>{std::move(out)};
  }

 private:
  template <class T>
  Status fill(std::span<const int64_t> numbers, T* to) const {
    CsvFile::Place place;
    for (int64_t n : numbers) {
      PERCALE_RETURN_IF_ERROR(file_->read(n, columns_, to, &place));
      to += columns_.size();
    }
    return {};
  }

  std::shared_ptr<const CsvFile> file_;
  std::vector<RowType> types_;
  std::vector<size_t> columns_;
};

}  // namespace

// The next line that is not empty, without its end; `at` moves behind it.
std::string_view CsvFile::line_at(size_t* at) const {
  while (*at < text_.size()) {
    const size_t end = std::min(text_.find('\n', *at), text_.size());
    const std::string_view line = text_.substr(*at, end - *at);
    *at = std::min(end + 1, text_.size());
    if (!trimmed(line).empty()) return line;
  }
  return {};
}

Result<std::shared_ptr<const CsvFile>> CsvFile::open(const std::string& path) {
  std::shared_ptr<CsvFile> out(new CsvFile);
  out->path_ = path;
  PERCALE_ASSIGN_OR_RETURN(out->bytes_, map_file(path));
  out->text_ = {static_cast<const char*>(out->bytes_->data()), static_cast<size_t>(out->bytes_->bytes())};
  if (out->text_.starts_with("\xef\xbb\xbf")) out->text_.remove_prefix(3);
  size_t at = 0;
  std::string_view line = out->line_at(&at), field;
  bool header = false;
  for (bool more = !line.empty(); next_field(&line, &more, &field);) {
    double number = 0;
    header = header || !parse(field, &number);
    out->names_.emplace_back(field);
  }
  if (!header) {
    at = 0;
    for (size_t i = 0; i < out->names_.size(); ++i) out->names_[i] = str_cat(static_cast<uint64_t>(i));
  }
  for (size_t begin = at; !out->line_at(&at).empty(); begin = at) {
    if (out->rows_ % kStride == 0) out->index_.push_back(begin);
    ++out->rows_;
  }
  if (out->rows_ == 0) return invalid_argument("'", path, "': there is no line of numbers");
  return std::shared_ptr<const CsvFile>(std::move(out));
}

Result<size_t> CsvFile::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<size_t>(found - names_.begin());
  return not_found("'", path_, "' has no column '", name, "'", did_you_mean(name, names_));
}

std::string_view CsvFile::find_row(int64_t row, Place* place) const {
  if (place->row < 0 || row <= place->row || row / kStride != place->row / kStride) {
    *place = {row / kStride * kStride - 1, index_[static_cast<size_t>(row / kStride)]};
  }
  std::string_view line;
  for (; place->row < row; ++place->row) line = line_at(&place->next);
  return line;
}

template <class T>
Status CsvFile::read(int64_t row, std::span<const size_t> columns, T* out, Place* place) const {
  std::string_view line = find_row(row, place), field;
  size_t have = 0, filled = 0;
  for (bool more = true; next_field(&line, &more, &field); ++have) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] != have) continue;
      if (!parse(field, out + i)) {
        return invalid_argument("'", path_, "', row ", row + 1, ", column '", have < names_.size() ? names_[have] : "",
                                "': '", field.substr(0, 40), "' is no ",
                                std::is_integral_v<T> ? "whole number" : "number");
      }
      ++filled;
    }
  }
  if (have == names_.size() && filled == columns.size()) return {};
  return invalid_argument("'", path_, "', row ", row + 1, " has ", static_cast<uint64_t>(have), " columns, wanted ",
                          static_cast<uint64_t>(names_.size()));
}

template Status CsvFile::read(int64_t, std::span<const size_t>, float*, Place*) const;
template Status CsvFile::read(int64_t, std::span<const size_t>, double*, Place*) const;
template Status CsvFile::read(int64_t, std::span<const size_t>, int64_t*, Place*) const;

bool CsvFile::looks_whole(std::span<const size_t> columns) const {
  std::vector<int64_t> numbers(columns.size());
  Place place;
  for (int64_t row = 0; row < std::min(rows_, kLookedAt); ++row) {
    if (!read(row, columns, numbers.data(), &place).ok()) return false;
  }
  return true;
}

Result<std::shared_ptr<const RowSource>> csv_rows(std::shared_ptr<const CsvFile> file, std::string name,
                                                  std::vector<size_t> columns, DType dtype, bool scalar) {
  if (dtype != DType::kF32 && dtype != DType::kF64 && dtype != DType::kI64) {
    return unimplemented("'", name, "': CSV as ", dtype);
  }
  if (columns.empty() || (scalar && columns.size() != 1)) return invalid_argument("'", name, "': no columns");
  RowType type{std::move(name), dtype, scalar ? Shape{} : Shape{static_cast<int64_t>(columns.size())}};
  return std::shared_ptr<const RowSource>(
      std::make_shared<CsvRows>(std::move(file), std::move(type), std::move(columns)));
}

}  // namespace percale

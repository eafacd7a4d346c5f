#include "core/train/data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/similar_name.h"
#include "core/file/file.h"
#include "core/file/gzip.h"
#include "core/text/utf8.h"
#include "core/train/data/data_files.h"

namespace percale {
namespace {

constexpr int64_t kStride = 64;  // rows between two entries of the index
// 2^53: doubles represent every whole number up to it
constexpr double kLargestWhole = 9007199254740992;

// Converts a number outside the range of T to 0 or infinity, as C does.
template <class T>
T out_of_range_number(std::string_view text) {
  const size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos ? text.substr(exponent + 1).starts_with('-')
                                                       : text.find_first_not_of("-0.") > text.find('.');
  const T size = tiny ? T{0} : std::numeric_limits<T>::infinity();
  return text.starts_with('-') ? -size : size;
}

template <class T>
bool parse(std::string_view text, T* out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || (text.front() == '+')) return false;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, *out);
  if (end != last) return false;
  if constexpr (std::is_floating_point_v<T>) {
    if (error == std::errc::result_out_of_range) *out = out_of_range_number<T>(text);
    return error != std::errc::invalid_argument;
  }
  return error == std::errc();
}

// Reads the fields of one row. Quoted fields may contain line ends.
class RowReader {
 public:
  RowReader(std::string_view text, char separator, size_t at) : text_(text), separator_(separator), at_(at) {}

  // Advances past the row and its line end. An error describes the problem at at().
  Status read(std::vector<CsvField>* fields) {
    fields->clear();
    do {
      PERCALE_RETURN_IF_ERROR(read_field(&fields->emplace_back()));
    } while (take(separator_));
    if (take('\r'))
      return take('\n') || at_ == text_.size() ? Status() : invalid_argument("a line ends with CR without LF");
    take('\n');
    return {};
  }
  size_t at() const { return at_; }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != separator_; }
  bool ends_field(char c) const { return c == separator_ || c == '\n' || c == '\r'; }

  Status read_field(CsvField* out) {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted(out);
    const size_t begin = at_;
    while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
    size_t end = at_;
    while (end > begin && is_blank(text_[end - 1])) --end;
    *out = {text_.substr(begin, end - begin)};
    return {};
  }

  Status read_quoted(CsvField* out) {
    const size_t begin = at_ + 1;
    for (size_t from = begin;;) {
      const size_t quote = text_.find('"', from);
      if (quote == std::string_view::npos) return invalid_argument("a quote is opened but never closed");
      at_ = quote + 1;
      *out = {text_.substr(begin, quote - begin), true, out->escaped};
      if (!take('"')) break;
      out->escaped = true;
      from = at_;
    }
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (at_ < text_.size() && !ends_field(text_[at_])) return invalid_argument("text follows a closing quote");
    return {};
  }

  std::string_view text_;
  char separator_;
  size_t at_;
};

bool is_empty_line(const std::vector<CsvField>& fields) {
  return fields.size() == 1 && fields[0].text.empty() && !fields[0].quoted;
}

}  // namespace

bool CsvField::is_missing() const {
  if (text.empty()) return true;
  if (quoted) return false;
  constexpr std::string_view kWords[] = {"na", "n/a", "nan", "null"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return text.size() == word.size() && has_ending(text, word); });
}

std::string CsvField::value() const {
  std::string out(text);
  for (size_t at = 0; escaped && (at = out.find("\"\"", at)) != std::string::npos; ++at) out.erase(at, 1);
  return out;
}

bool CsvField::read(float* out) const { return parse(text, out); }
bool CsvField::read(double* out) const { return parse(text, out); }
bool CsvField::read(int64_t* out) const {
  if (parse(text, out)) return true;
  double number = 0;
  if (!parse(text, &number) || number != std::trunc(number) || std::abs(number) > kLargestWhole) return false;
  *out = static_cast<int64_t>(number);
  return true;
}

bool is_csv_path(std::string_view path) {
  if (has_ending(path, ".gz")) path.remove_suffix(3);
  return has_ending(path, ".csv") || has_ending(path, ".tsv");
}

std::vector<std::string> csv_line(std::string_view line) {
  std::vector<CsvField> fields;
  std::vector<std::string> out;
  // A line that cannot be split because of its quotes is taken as one name; find() then reports it.
  if (!RowReader(line, ',', 0).read(&fields).ok()) return {std::string(line)};
  for (const CsvField& field : fields) out.push_back(field.value());
  return out;
}

Result<std::shared_ptr<const CsvFile>> CsvFile::open(const std::string& path, const CsvDialect& dialect,
                                                     const std::shared_ptr<MemoryPool>& pool) {
  std::shared_ptr<CsvFile> out(new CsvFile);
  out->path_ = path;
  const auto in_file = [&](Status status) { return status.with_context(str_cat("'", path, "'")); };
  if (Status status = out->load(path, pool); !status.ok()) return status;
  if (Status status = out->read_header(dialect); !status.ok()) return in_file(std::move(status));
  if (Status status = out->index_rows(); !status.ok()) return in_file(std::move(status));
  return std::shared_ptr<const CsvFile>(std::move(out));
}

Status CsvFile::load(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  PERCALE_ASSIGN_OR_RETURN(bytes_, load_file(path, pool));
  text_ = {static_cast<const char*>(bytes_->data()), static_cast<size_t>(bytes_->bytes())};
  if (looks_like_gzip(text_)) {
    auto whole = inflate_all(text_, pool);
    if (!whole.ok()) return whole.status().with_context(str_cat("'", path, "'"));
    bytes_ = std::move(whole).value();
    text_ = {static_cast<const char*>(bytes_->data()), static_cast<size_t>(bytes_->bytes())};
  }
  if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
    return invalid_argument("'", path, "' is UTF-16: save it as UTF-8");
  }
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  return {};
}

Status CsvFile::read_header(const CsvDialect& dialect) {
  const bool tabs = has_ending(path_, ".tsv") || has_ending(path_, ".tsv.gz");
  separator_ = dialect.separator != '\0' ? dialect.separator : tabs ? '\t' : ',';
  std::vector<CsvField> fields;
  size_t at = 0;
  PERCALE_RETURN_IF_ERROR(next_row(&at, &fields));
  if (fields.empty()) return invalid_argument("the file has no rows");
  const auto is_number = [](const CsvField& field) {
    double number = 0;
    return field.read(&number) && !field.is_missing();
  };
  has_header_ = dialect.header.value_or(std::none_of(fields.begin(), fields.end(), is_number));
  for (const CsvField& field : fields) {
    names_.push_back(has_header_ ? field.value() : std::to_string(names_.size()));
    if (!is_utf8(names_.back()))
      return invalid_argument("line 1: the header is not valid UTF-8: save the file as UTF-8");
  }
  if (has_header_) first_row_ = at;
  return {};
}

Status CsvFile::index_rows() {
  std::vector<CsvField> fields;
  for (size_t begin = first_row_, at = begin;; begin = at) {
    PERCALE_RETURN_IF_ERROR(next_row(&at, &fields));
    if (fields.empty()) break;
    if (fields.size() != names_.size()) {
      return invalid_argument("line ", line_of(skip_empty_lines(begin)), ": the row has ",
                              static_cast<uint64_t>(fields.size()), " fields, but the first row has ",
                              static_cast<uint64_t>(names_.size()));
    }
    if (rows_ % kStride == 0) index_.push_back(begin);
    ++rows_;
  }
  if (rows_ > 0) return {};
  return invalid_argument("there is no row below the header; if the file has no header, set \"header\": false");
}

// Reads the next row that is not empty; no fields at the end of the file.
Status CsvFile::next_row(size_t* at, std::vector<CsvField>* fields) const {
  fields->clear();
  while (*at < text_.size()) {
    RowReader reader(text_, separator_, *at);
    if (Status status = reader.read(fields); !status.ok()) {
      return status.with_context(str_cat("line ", line_of(*at)));
    }
    *at = reader.at();
    if (!is_empty_line(*fields)) return {};
    fields->clear();
  }
  return {};
}

Result<size_t> CsvFile::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    const bool others = names_.size() == 1 && names_[0].find_first_of(";\t|") != std::string::npos;
    return not_found(
        "'", path_, "' has no column '", name, "'", did_you_mean(name, names_),
        others ? "; its first line contains no comma: set the separator, for example \"separator\": \";\"" : "");
  }
  if (std::find(found + 1, names_.end(), name) != names_.end()) {
    return invalid_argument("'", path_, "' has two columns with the name '", name, "': give each column its own name");
  }
  return static_cast<size_t>(found - names_.begin());
}

void CsvFile::find_row(int64_t row, Place* place) const {
  if (place->row < 0 || row <= place->row || row / kStride != place->row / kStride) {
    *place = {row / kStride * kStride - 1, index_[static_cast<size_t>(row / kStride)]};
  }
}

Status CsvFile::check() const { return check_mapping(*bytes_); }

Status CsvFile::read(int64_t row, std::vector<CsvField>* fields, Place* place) const {
  find_row(row, place);
  for (; place->row < row; ++place->row) {
    const Status status = next_row(&place->next, fields);
    if (!status.ok() || fields->size() != names_.size()) {
      return data_loss("'", path_, "': row ", row + 1,
                       " differs from the first reading: the file changed while it was read");
    }
  }
  return {};
}

std::string CsvFile::where(int64_t row, size_t column) const {
  Place place;
  find_row(row, &place);
  std::vector<CsvField> fields;
  size_t begin = place.next;
  for (; place.row < row; ++place.row) {
    begin = place.next;
    if (!next_row(&place.next, &fields).ok()) break;
  }
  return str_cat("'", path_, "', line ", line_of(skip_empty_lines(begin)), ", column '", names_[column], "'");
}

// Returns the offset of the row that next_row() would read from `at`.
size_t CsvFile::skip_empty_lines(size_t at) const {
  std::vector<CsvField> fields;
  for (size_t next = at; next < text_.size(); at = next) {
    RowReader reader(text_, separator_, at);
    if (!reader.read(&fields).ok() || !is_empty_line(fields)) break;
    next = reader.at();
  }
  return at;
}

// Counts from 1, as editors do.
int64_t CsvFile::line_of(size_t at) const {
  return 1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at), '\n');
}

}  // namespace percale

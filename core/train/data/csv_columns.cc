#include "core/train/data/csv_columns.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/similar_name.h"

namespace percale {
namespace {

// Encodes the fields of one column as numbers.
class Encoder {
 public:
  Encoder(const CsvColumn& column, bool alone) : column_(column), alone_(alone) {
    for (size_t i = 0; i < column.words.size(); ++i) numbers_.emplace(column.words[i], static_cast<int64_t>(i));
  }
  int64_t width() const { return is_category() && !alone_ ? static_cast<int64_t>(column_.words.size()) : 1; }

  // Writes width() numbers. An error describes the problem with the field.
  template <class T>
  Status write(const CsvField& field, T* to) const {
    if (is_category()) return write_category(field, to);
    if (field.is_missing()) {
      if (column_.missing->kind == CsvMissing::Kind::kError) return invalid_argument("the value is missing");
      *to = missing<T>();
      return {};
    }
    if (field.read(to)) return {};
    return invalid_argument("'", field.text.substr(0, 40), "' is not ",
                            std::is_integral_v<T> ? "a whole number" : "a number");
  }

 private:
  bool is_category() const { return column_.type == "category"; }
  template <class T>
  T missing() const {
    return column_.missing->kind == CsvMissing::Kind::kNan ? std::numeric_limits<T>::quiet_NaN()
                                                           : static_cast<T>(column_.missing->number);
  }

  template <class T>
  Status write_category(const CsvField& field, T* to) const {
    const auto found = field.is_missing() ? numbers_.end() : numbers_.find(field.value());
    if (found == numbers_.end() && (alone_ || column_.missing->kind == CsvMissing::Kind::kError)) {
      if (field.is_missing()) return invalid_argument("the category is missing");
      return invalid_argument("'", field.text.substr(0, 40), "' is not one of the column's ",
                              static_cast<uint64_t>(column_.words.size()), " categories",
                              did_you_mean(field.value(), column_.words));
    }
    if (alone_) {
      *to = static_cast<T>(found->second);
      return {};
    }
    std::fill_n(to, width(), T{0});
    if (found != numbers_.end()) to[found->second] = T{1};
    return {};
  }

  const CsvColumn& column_;
  bool alone_;
  std::unordered_map<std::string, int64_t> numbers_;
};

class CsvRows final : public RowSource {
 public:
  CsvRows(CsvPart part, std::string name, std::shared_ptr<const CsvInput> input, DType dtype)
      : part_(std::move(part)), input_(std::move(input)) {
    for (const CsvColumn& column : input_->columns) {
      encoders_.emplace_back(column, input_->alone);
      width_ += encoders_.back().width();
    }
    types_.push_back({std::move(name), dtype, input_->alone ? Shape{} : Shape{width_}});
  }
  int64_t rows() const override { return part_.file->rows(); }
  const std::vector<RowType>& types() const override { return types_; }

  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>& pool,
                                     const ParallelFor&) const override {
    PERCALE_RETURN_IF_ERROR(part_.file->check());
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
    std::vector<CsvField> fields;
    CsvFile::Place place;
    for (int64_t row : numbers) {
      PERCALE_RETURN_IF_ERROR(part_.file->read(row, &fields, &place));
      for (size_t i = 0; i < encoders_.size(); ++i) {
        const size_t column = part_.columns[i];
        if (Status status = encoders_[i].write(fields[column], to); !status.ok()) {
          return status.with_context(part_.file->where(row, column));
        }
        to += encoders_[i].width();
      }
    }
    return {};
  }

  CsvPart part_;
  std::shared_ptr<const CsvInput> input_;
  std::vector<Encoder> encoders_;
  int64_t width_ = 0;
  std::vector<RowType> types_;
};

}  // namespace

DType default_dtype(const CsvInput& input) {
  return input.alone && input.columns[0].type != "number" ? DType::kI64 : DType::kF32;
}

Result<std::shared_ptr<const RowSource>> csv_rows(CsvPart part, std::string name, std::shared_ptr<const CsvInput> input,
                                                  DType dtype) {
  if (dtype != DType::kF32 && dtype != DType::kF64 && dtype != DType::kI64) {
    return unimplemented("'", name, "': CSV as ", dtype);
  }
  for (const CsvColumn& column : input->columns) {
    if (dtype != DType::kI64 || column.type == "category" || column.missing->fits_integers()) continue;
    return invalid_argument("'", name, "': column '", column.name,
                            "' must hold whole numbers, and so must the replacement for missing values");
  }
  return std::shared_ptr<const RowSource>(
      std::make_shared<CsvRows>(std::move(part), std::move(name), std::move(input), dtype));
}

}  // namespace percale

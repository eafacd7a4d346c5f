#include "core/train/data/dataset.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "core/base/philox.h"
#include "core/file/file.h"
#include "core/train/data/row_source.h"
#include "core/train/data/row_stream.h"
#include "core/train/shards/batch_cut.h"

namespace percale {
namespace {

// Rows are gathered in pieces of about this many bytes.
constexpr int64_t kPieceBytes = 64 << 10;

using RowCopy = void (*)(const void* from, void* to, int64_t count, double scale);

// `from` may be unaligned, because rows may be mapped from files.
template <class From, class To>
void convert_row(const void* from, void* to, int64_t count, double scale) {
  const auto* in = static_cast<const char*>(from);
  const auto element = [in](int64_t i) {
    From x;
    std::memcpy(&x, in + i * static_cast<int64_t>(sizeof(From)), sizeof(From));
    return static_cast<To>(x);
  };
  auto* out = static_cast<To*>(to);
  if constexpr (std::is_floating_point_v<To>) {
    const To factor = static_cast<To>(scale);
    for (int64_t i = 0; i < count; ++i) out[i] = element(i) * factor;
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = element(i);
  }
}

template <class From>
RowCopy copy_from(DType to) {
  switch (to) {
    case DType::kF32: return convert_row<From, float>;
    case DType::kF64: return convert_row<From, double>;
    case DType::kI32: return std::is_floating_point_v<From> ? nullptr : convert_row<From, int32_t>;
    case DType::kI64: return std::is_floating_point_v<From> ? nullptr : convert_row<From, int64_t>;
    default: return nullptr;
  }
}

// Returns null if a conversion would change values beyond rounding: floats to integers, wider
// integers to i32.
RowCopy conversion(DType from, DType to) {
  switch (from) {
    case DType::kU8: return copy_from<uint8_t>(to);
    case DType::kI8: return copy_from<int8_t>(to);
    case DType::kU16: return copy_from<uint16_t>(to);
    case DType::kI16: return copy_from<int16_t>(to);
    case DType::kI32: return copy_from<int32_t>(to);
    case DType::kU32: return to == DType::kI32 ? nullptr : copy_from<uint32_t>(to);
    case DType::kI64: return to == DType::kI32 ? nullptr : copy_from<int64_t>(to);
    case DType::kF32: return copy_from<float>(to);
    case DType::kF64: return copy_from<double>(to);
    default: return nullptr;
  }
}

// Uniform random numbers below a bound: the high word of a product, redrawn where it would be
// biased (Lemire, "Fast random integer generation in an interval", 2019).
class RandomSequence {
 public:
  RandomSequence(uint64_t seed, uint64_t epoch)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        counter_{0, kPurpose, static_cast<uint32_t>(epoch), static_cast<uint32_t>(epoch >> 32)} {}

  uint64_t below(uint64_t bound) {
    for (;;) {
      const auto product = static_cast<unsigned __int128>(draw()) * bound;
      if (static_cast<uint64_t>(product) >= (0 - bound) % bound) return static_cast<uint64_t>(product >> 64);
    }
  }

 private:
  static constexpr uint32_t kPurpose = 0x53485546;  // distinct from the counters of random ops
  uint64_t draw() {
    const PhiloxCounter words = philox(counter_, key_);
    ++counter_[0];
    return uint64_t{words[1]} << 32 | words[0];
  }
  PhiloxKey key_;
  PhiloxCounter counter_;
};

bool converts(const Column& column, DType from) { return column.dtype != from || column.scale != 1; }

}  // namespace

std::vector<int64_t> shuffled_rows(int64_t rows, int64_t seed, int64_t epoch) {
  std::vector<int64_t> out(static_cast<size_t>(rows));
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int64_t>(i);
  RandomSequence random(static_cast<uint64_t>(seed), static_cast<uint64_t>(epoch));
  for (size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[static_cast<size_t>(random.below(i))]);
  return out;
}

Result<std::shared_ptr<Dataset>> Dataset::create(std::vector<Column> columns, std::shared_ptr<MemoryPool> pool) {
  if (columns.empty()) return invalid_argument("a data set needs at least one tensor");
  std::shared_ptr<Dataset> out(new Dataset);
  for (size_t i = 0; i < columns.size(); ++i) {
    Column& c = columns[i];
    if (c.name.empty()) return invalid_argument("a data set's tensor needs a name");
    for (size_t k = 0; k < i; ++k) {
      if (columns[k].name == c.name) return invalid_argument("data set: two tensors are called '", c.name, "'");
    }
    if (!c.data.defined() || c.data.shape().rank() == 0 || c.data.shape()[0] < 1) {
      return invalid_argument("data set: '", c.name, "' has shape ", c.data.shape(), ", wanted at least one row");
    }
    if (c.data.shape()[0] != columns[0].data.shape()[0]) {
      return invalid_argument("data set: '", c.name, "' has ", c.data.shape()[0], " rows, but '", columns[0].name,
                              "' has ", columns[0].data.shape()[0]);
    }
    if (dtype_bits(c.data.dtype()) < 8) return invalid_argument("data set: '", c.name, "' is ", c.data.dtype());
    if (c.dtype == DType::kInvalid) c.dtype = c.data.dtype();
    if (converts(c, c.data.dtype()) && conversion(c.data.dtype(), c.dtype) == nullptr) {
      return invalid_argument("data set: '", c.name, "' is ", c.data.dtype(), ", which cannot be converted to ",
                              c.dtype);
    }
  }
  out->rows_ = columns[0].data.shape()[0];
  out->columns_ = std::move(columns);
  out->pool_ = std::move(pool);
  return out;
}

Result<std::shared_ptr<Dataset>> Dataset::from_rows(std::shared_ptr<const RowSource> source,
                                                    std::shared_ptr<MemoryPool> pool) {
  PERCALE_ASSIGN_OR_RETURN(auto out, of_types(source->types(), std::move(pool)));
  out->rows_ = source->rows();
  out->source_ = std::move(source);
  return out;
}

Result<std::shared_ptr<Dataset>> Dataset::from_stream(std::shared_ptr<RowStream> stream,
                                                      std::shared_ptr<MemoryPool> pool) {
  PERCALE_ASSIGN_OR_RETURN(auto out, of_types(stream->types(), std::move(pool)));
  out->rows_ = -1;
  out->stream_ = std::move(stream);
  return out;
}

Result<std::shared_ptr<Dataset>> Dataset::of_types(const std::vector<RowType>& types,
                                                   std::shared_ptr<MemoryPool> pool) {
  if (types.empty()) return invalid_argument("a data set needs at least one column");
  std::shared_ptr<Dataset> out(new Dataset);
  for (const RowType& type : types) {
    if (type.name.empty()) return invalid_argument("a data set's column needs a name");
    for (const Column& other : out->columns_) {
      if (other.name == type.name) return invalid_argument("data set: two columns are called '", type.name, "'");
    }
    out->columns_.push_back({type.name, {}, type.dtype, 1});
  }
  out->pool_ = std::move(pool);
  return out;
}

// Precondition: the columns hold no rows.
const std::vector<RowType>& Dataset::row_types() const {
  return source_ != nullptr ? source_->types() : stream_->types();
}

Result<std::shared_ptr<Dataset>> Dataset::part(const ShardRange& own, int64_t pieces) const {
  std::shared_ptr<Dataset> out(new Dataset);
  out->columns_ = columns_;
  out->source_ = source_;
  out->csv_rules_ = csv_rules_;
  out->pool_ = pool_;
  out->rows_ = rows_;
  out->options_ = options_;
  out->is_part_ = true;
  out->pieces_ = pieces;
  out->own_ = own;
  return out;
}

Dataset::BatchRows Dataset::batch_rows(int64_t batch) const {
  const int64_t all = std::min(options_.batch_size, rows_ - batch * options_.batch_size);
  return {all, shard_rows(all, pieces_, own_.begin).begin};
}

Dataset::Range Dataset::range(int64_t batch) const {
  const BatchRows rows = batch_rows(batch);
  const int64_t begin = batch * options_.batch_size;
  return {begin + rows.first, begin + shard_rows(rows.all, pieces_, own_.end - 1).end};
}

int64_t Dataset::epoch_rows() const {
  const Range first = range(0), last = range(batches() - 1);
  return (batches() - 1) * (first.end - first.begin) + last.end - last.begin;
}

Status Dataset::check_unused(std::string_view what) const {
  if (uses_ == 0) return {};
  return failed_precondition("data set: ", what, " while it is used for training, evaluation or reading a batch");
}

Status Dataset::configure(const DatasetOptions& options) {
  PERCALE_RETURN_IF_ERROR(check_unused("it cannot be configured"));
  if (is_part()) {
    return failed_precondition(
        "data set: it is one replica's part of another data set; configure that one, then distribute it");
  }
  if (options.batch_size < 1) return invalid_argument("data set: the batch size is ", options.batch_size);
  if (options.shuffle_seed < -1) return invalid_argument("data set: the seed is ", options.shuffle_seed);
  if (is_stream() && options.shuffle_seed >= 0) {
    return invalid_argument("data set: a stream gives its rows in their order and cannot be shuffled, but the seed is ",
                            options.shuffle_seed, "; -1 is for their order");
  }
  if (options.drop_remainder && !is_stream() && options.batch_size > rows_) {
    return invalid_argument("data set: ", rows_, " rows do not fill a batch of ", options.batch_size);
  }
  options_ = options;
  position_ = {};
  const std::lock_guard lock(mutex_);
  order_epoch_ = -1;
  order_ = nullptr;
  return {};
}

int64_t Dataset::batches() const {
  if (is_stream()) return -1;
  return options_.drop_remainder ? rows_ / options_.batch_size : (rows_ - 1) / options_.batch_size + 1;
}

std::vector<ValueType> Dataset::types() const {
  std::vector<ValueType> out;
  for (size_t i = 0; i < columns_.size(); ++i) {
    Shape shape;
    if (columns_[i].data.defined()) {
      shape = columns_[i].data.shape();
      shape[0] = kUnknownDim;
    } else {
      shape = Shape{kUnknownDim};
      for (int64_t d : row_types()[i].shape) shape.push_back(d);
    }
    out.push_back({columns_[i].dtype, shape});
  }
  return out;
}

Status Dataset::convert(std::string_view name, DType dtype) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& c = columns_[i];
    if (c.name != name) continue;
    if (c.dtype == dtype) return {};
    const DType from = c.data.defined() ? c.data.dtype() : row_types()[i].dtype;
    if (conversion(from, dtype) == nullptr) {
      return invalid_argument("data set: '", name, "' is ", from, ", which cannot be converted to ", dtype);
    }
    c.dtype = dtype;
    return {};
  }
  return not_found("data set: no column '", name, "'");
}

std::shared_ptr<const std::vector<int64_t>> Dataset::order(int64_t epoch) const {
  if (options_.shuffle_seed < 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (order_epoch_ != epoch) {
    order_ = std::make_shared<const std::vector<int64_t>>(shuffled_rows(rows_, options_.shuffle_seed, epoch));
    order_epoch_ = epoch;
  }
  return order_;
}

Result<bool> Dataset::has_batch(const DatasetPosition& position) const {
  if (!is_stream()) return position.batch < batches();
  PERCALE_ASSIGN_OR_RETURN(const auto columns, stream_->batch(position, options_.batch_size, pool_));
  return columns[0].shape()[0] >= (options_.drop_remainder ? options_.batch_size : 1);
}

Result<std::vector<Tensor>> Dataset::stream_batch(const DatasetPosition& position) const {
  PERCALE_ASSIGN_OR_RETURN(const bool there, has_batch(position));
  if (!there) {
    return out_of_range("data set: epoch ", position.epoch, " of the stream ends before batch ", position.batch);
  }
  PERCALE_ASSIGN_OR_RETURN(auto columns, stream_->batch(position, options_.batch_size, pool_));
  return converted(std::move(columns));
}

Result<std::vector<Tensor>> Dataset::batch(const DatasetPosition& position, const ParallelFor& parallel) const {
  if (is_stream()) return stream_batch(position);
  if (position.epoch < 0 || position.batch < 0 || position.batch >= batches()) {
    return out_of_range("data set: batch ", position.batch, " is out of range, there are ", batches());
  }
  const auto rows = order(position.epoch);
  const Range own = range(position.batch);
  if (own.begin == own.end) return no_rows();
  const auto count = static_cast<size_t>(own.end - own.begin);
  if (rows != nullptr) return gather(std::span(*rows).subspan(static_cast<size_t>(own.begin), count), parallel);
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), own.begin);
  return gather(numbers, parallel);
}

Result<std::vector<Tensor>> Dataset::no_rows() const {
  std::vector<Tensor> out;
  for (const ValueType& type : types()) {
    Shape shape = type.shape;
    shape[0] = 0;
    if (!shape.is_static()) return invalid_argument("data set: the shape of a row must be known, got ", type.shape);
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(pool_, type.dtype, shape));
    out.push_back(std::move(tensor));
  }
  return out;
}

bool Dataset::on_callers_thread() const { return is_stream() || (source_ != nullptr && source_->on_callers_thread()); }

Result<std::vector<Tensor>> Dataset::gather(std::span<const int64_t> numbers, const ParallelFor& parallel) const {
  if (is_stream()) return failed_precondition("data set: a stream gives its rows in their order, none by its number");
  return source_ == nullptr ? gather_columns(numbers, parallel) : gather_source(numbers, parallel);
}

Result<std::vector<Tensor>> Dataset::gather_source(std::span<const int64_t> numbers,
                                                   const ParallelFor& parallel) const {
  PERCALE_ASSIGN_OR_RETURN(auto out, source_->gather(numbers, pool_, parallel));
  return converted(std::move(out));
}

// Rows of other dtypes than those of the columns.
Result<std::vector<Tensor>> Dataset::converted(std::vector<Tensor> out) const {
  for (size_t i = 0; i < out.size(); ++i) {
    const DType from = row_types()[i].dtype;
    if (!converts(columns_[i], from)) continue;
    PERCALE_ASSIGN_OR_RETURN(Tensor converted, Tensor::allocate(pool_, columns_[i].dtype, out[i].shape()));
    conversion(from, columns_[i].dtype)(out[i].data(), converted.data(), out[i].num_elements(), columns_[i].scale);
    out[i] = std::move(converted);
  }
  return out;
}

Result<std::vector<Tensor>> Dataset::gather_columns(std::span<const int64_t> numbers,
                                                    const ParallelFor& parallel) const {
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<Tensor> out;
  for (const Column& c : columns_) {
    PERCALE_RETURN_IF_ERROR(check_mapping(*c.data.buffer()));
    Shape shape = c.data.shape();
    shape[0] = count;
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(pool_, c.dtype, shape));
    const RowCopy copy = converts(c, c.data.dtype()) ? conversion(c.data.dtype(), c.dtype) : nullptr;
    const int64_t elements = shape.product(1, shape.rank());
    const int64_t from_bytes = c.data.bytes() / rows_, to_bytes = tensor.bytes() / count;
    const int64_t pieces = std::max<int64_t>(1, std::min(count, tensor.bytes() / kPieceBytes));
    const auto* from = static_cast<const char*>(c.data.data());
    auto* to = static_cast<char*>(tensor.data());
    parallel(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(count, pieces, piece);
      for (int64_t i = range.begin; i < range.end; ++i) {
        const int64_t row = numbers[static_cast<size_t>(i)];
        if (copy != nullptr) {
          copy(from + row * from_bytes, to + i * to_bytes, elements, c.scale);
        } else if (to_bytes > 0) {
          std::memcpy(to + i * to_bytes, from + row * from_bytes, static_cast<size_t>(to_bytes));
        }
      }
    });
    out.push_back(std::move(tensor));
  }
  return out;
}

Result<std::vector<Tensor>> Dataset::next(const ParallelFor& parallel) {
  PERCALE_RETURN_IF_ERROR(check_unused("it cannot return the next batch"));
  const Use use(*this);
  PERCALE_ASSIGN_OR_RETURN(const bool there, has_batch(position_));
  if (!there) {
    position_ = {position_.epoch + 1, 0};
    return out_of_range("data set: the epoch is over");
  }
  PERCALE_ASSIGN_OR_RETURN(auto out, batch(position_, parallel));
  ++position_.batch;
  return out;
}

Status Dataset::seek(const DatasetPosition& position) {
  if (position.epoch < 0 || position.batch < 0 || (!is_stream() && position.batch > batches())) {
    return out_of_range("data set: batch ", position.batch, " of epoch ", position.epoch, ", there are ", batches());
  }
  position_ = position;
  return {};
}

std::vector<std::string> column_names(const Dataset& dataset) {
  std::vector<std::string> out;
  for (const Column& c : dataset.columns()) out.push_back(c.name);
  return out;
}

}  // namespace percale

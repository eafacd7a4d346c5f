#include "core/train/data/row_stream.h"

#include <cstring>
#include <utility>

namespace percale {

Result<std::unique_ptr<RowStream>> RowStream::create(std::vector<RowType> types, StreamFunction read) {
  if (types.empty()) return invalid_argument("data set: a stream needs a column");
  PERCALE_RETURN_IF_ERROR(check_host_rows(types));
  return std::unique_ptr<RowStream>(new RowStream(std::move(types), std::move(read)));
}

Result<std::vector<Tensor>> RowStream::batch(const DatasetPosition& position, int64_t size,
                                             const std::shared_ptr<MemoryPool>& pool) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return failed_precondition("data set: another call reads the rows of the stream");
  if (size_ != size || !(position_ == position)) {
    PERCALE_ASSIGN_OR_RETURN(batch_, read(position, size, pool));
    position_ = position;
    size_ = size;
  }
  return batch_;
}

// The batch behind a short one is not asked for: the epoch is over.
Result<std::vector<Tensor>> RowStream::read(const DatasetPosition& position, int64_t size,
                                            const std::shared_ptr<MemoryPool>& pool) {
  const bool over = size_ == size && position_.epoch == position.epoch && position_.batch < position.batch &&
                    batch_[0].shape()[0] < size;
  std::vector<Tensor> out;
  std::vector<int64_t> row_bytes;
  for (const RowType& type : types_) {
    Shape shape{over ? 0 : size};
    for (const int64_t d : type.shape) shape.push_back(d);
    PERCALE_ASSIGN_OR_RETURN(const Tensor tensor, Tensor::allocate(pool, type.dtype, shape));
    out.push_back(tensor);
    row_bytes.push_back(over ? 0 : tensor.bytes() / size);
    if (tensor.bytes() > 0) std::memset(tensor.data(), 0, static_cast<size_t>(tensor.bytes()));
  }
  if (over) return out;
  int64_t rows = 0;
  std::vector<void*> columns(out.size());
  while (rows < size) {
    for (size_t i = 0; i < out.size(); ++i) columns[i] = static_cast<char*>(out[i].data()) + rows * row_bytes[i];
    const int64_t first = position.batch * size + rows;
    const Result<int64_t> written = read_(position.epoch, first, size - rows, columns.data());
    // OUT_OF_RANGE would say that the epoch is over.
    if (written.status().code() == Code::kOutOfRange) return make_error(Code::kAborted, {written.status().message()});
    PERCALE_ASSIGN_OR_RETURN(const int64_t more, written);
    if (more < 0 || more > size - rows) {
      return invalid_argument("data set: the callback wrote ", more, " rows from row ", first, " on, wanted 0 to ",
                              size - rows);
    }
    if (more == 0) break;
    rows += more;
  }
  for (Tensor& tensor : out) tensor = tensor.rows(0, rows);
  return out;
}

}  // namespace percale

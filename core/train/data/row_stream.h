// Rows in an order that a host gives, whose number only their end tells.
#ifndef PERCALE_CORE_TRAIN_DATA_ROW_STREAM_H_
#define PERCALE_CORE_TRAIN_DATA_ROW_STREAM_H_

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/train/data/dataset.h"
#include "core/train/data/row_source.h"

namespace percale {

// Writes at most `most` rows of an epoch from row `first_row` on, the elements of column i to
// columns[i]; returns their number, 0 at the end of the epoch. Rows are asked for one after the
// other, except that an epoch begins at row 0, and that a training may go on from an earlier row.
using StreamFunction =
    std::function<Result<int64_t>(int64_t epoch, int64_t first_row, int64_t most, void* const* columns)>;

// Thread-safe, for one caller at a time: another one gets FAILED_PRECONDITION.
class RowStream {
 public:
  // INVALID_ARGUMENT for elements of less than 8 bits, and for rows without a known shape.
  static Result<std::unique_ptr<RowStream>> create(std::vector<RowType> types, StreamFunction read);
  const std::vector<RowType>& types() const { return types_; }

  // A tensor per column with the rows of a batch of `size` rows; fewer at the end of the epoch, and
  // none behind it. The last batch is kept: asking for it again reads nothing.
  Result<std::vector<Tensor>> batch(const DatasetPosition& position, int64_t size,
                                    const std::shared_ptr<MemoryPool>& pool);

 private:
  RowStream(std::vector<RowType> types, StreamFunction read) : types_(std::move(types)), read_(std::move(read)) {}
  Result<std::vector<Tensor>> read(const DatasetPosition& position, int64_t size,
                                   const std::shared_ptr<MemoryPool>& pool);

  const std::vector<RowType> types_;
  const StreamFunction read_;
  std::mutex mutex_;  // guards what follows
  DatasetPosition position_;
  int64_t size_ = 0;           // of the batch that is kept, also when the next one fails; 0: none
  std::vector<Tensor> batch_;  // the batch at the position
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_ROW_STREAM_H_

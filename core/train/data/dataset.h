// Examples in batches: columns of tensors whose first dim is the row.
#ifndef PERCALE_CORE_TRAIN_DATA_DATASET_H_
#define PERCALE_CORE_TRAIN_DATA_DATASET_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/registry/shape_context.h"
#include "core/tensor/tensor.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

class RowSource;
class RowStream;
struct CsvRules;
struct RowType;

struct DatasetOptions {
  int64_t batch_size = 32;
  // -1: rows in their order. Otherwise each epoch has another order, which depends on this seed and
  // the epoch alone. The list of row numbers takes 8 bytes a row; a data set holds nothing else
  // beside its batches.
  int64_t shuffle_seed = -1;
  bool drop_remainder = false;  // drop a short last batch
};

// The position of the next batch. Epochs and batches count from 0.
struct DatasetPosition {
  int64_t epoch = 0, batch = 0;
  bool operator==(const DatasetPosition&) const = default;
};

// One column: the rows as stored, and how batches return them.
struct Column {
  std::string name;
  Tensor data;                    // may be unaligned; undefined if the rows come from elsewhere
  DType dtype = DType::kInvalid;  // dtype in batches; kInvalid: that of the data
  double scale = 1;               // factor applied when elements are converted to floats
};

// A data set. Thread-compatible; batch() alone is thread-safe, except for a stream.
class Dataset {
 public:
  // INVALID_ARGUMENT unless all columns have the same number of rows, at least one, and distinct
  // names. Batches are allocated from `pool`.
  static Result<std::shared_ptr<Dataset>> create(std::vector<Column> columns, std::shared_ptr<MemoryPool> pool);
  // Makes a data set of a source's rows (core/train/data/row_source.h). Columns have the source's
  // names.
  static Result<std::shared_ptr<Dataset>> from_rows(std::shared_ptr<const RowSource> source,
                                                    std::shared_ptr<MemoryPool> pool);
  // Makes a data set of rows in a stream (core/train/data/row_stream.h), which gives batches in
  // their order alone.
  static Result<std::shared_ptr<Dataset>> from_stream(std::shared_ptr<RowStream> stream,
                                                      std::shared_ptr<MemoryPool> pool);
  // Makes a data set from files, given the column name of each. Files of one name are concatenated.
  // All kinds of core/train/data/data_columns.h are read. Integers of rank 1 are labels and become
  // i64. u8 of a higher rank becomes f32 multiplied by `scale`, unless `scale` is 0. `rules` apply
  // to CSV files.
  static Result<std::shared_ptr<Dataset>> from_files(const std::vector<std::string>& names,
                                                     const std::vector<std::string>& paths, double scale,
                                                     const CsvRules& rules, std::shared_ptr<MemoryPool> pool);

  // Returns a part of each batch, as this data set is configured now: a batch is cut into `pieces`
  // as a trainer cuts it into shards (shard_rows()), and the part has the rows of the pieces `own`.
  // Its batches may be empty. gather() on the part takes row numbers of the whole.
  // Preconditions: `own` is not empty, and this is neither a part itself nor a stream.
  Result<std::shared_ptr<Dataset>> part(const ShardRange& own, int64_t pieces) const;
  bool is_part() const { return is_part_; }

  // Marks a data set as in use while the object lives. Several may exist at once.
  class Use {
   public:
    explicit Use(const Dataset& dataset) : uses_(dataset.uses_) { ++uses_; }
    ~Use() { --uses_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<int64_t>& uses_;
  };
  // Returns FAILED_PRECONDITION while the data set is in use. Host callbacks can run during
  // training or while a row is made, and must not change the data set then.
  Status check_unused(std::string_view what) const;

  // Sets the options and returns to the start. FAILED_PRECONDITION for a part, and while the data
  // set is in use.
  Status configure(const DatasetOptions& options);
  const DatasetOptions& options() const { return options_; }
  bool is_stream() const { return stream_ != nullptr; }
  // Both -1 for a stream.
  int64_t rows() const { return rows_; }
  int64_t batches() const;  // per epoch
  // True if the epoch has this batch. A stream reads it to tell.
  Result<bool> has_batch(const DatasetPosition& position) const;
  // A batch without rows.
  Result<std::vector<Tensor>> no_rows() const;
  // The rows of a batch of the whole, and the first one that a part has of it. Not of a stream.
  struct BatchRows {
    int64_t all = 0, first = 0;
  };
  BatchRows batch_rows(int64_t batch) const;
  // The number of rows in the batches of an epoch.
  int64_t epoch_rows() const;
  const std::vector<Column>& columns() const { return columns_; }
  // The rules that CSV columns were read with; null without CSV files. Another data set made with
  // these rules is read the same way.
  const std::shared_ptr<const CsvRules>& csv_rules() const { return csv_rules_; }
  void set_csv_rules(std::shared_ptr<const CsvRules> rules) { csv_rules_ = std::move(rules); }
  // The types of batches of any size: the first dim is unknown.
  std::vector<ValueType> types() const;
  // Makes batches return the column as `dtype` from now on. INVALID_ARGUMENT if that would change
  // values beyond rounding.
  Status convert(std::string_view name, DType dtype);

  // Returns rows by number, ignoring the options: one tensor per column. FAILED_PRECONDITION for a
  // stream. Precondition: 0 <= number < rows().
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const ParallelFor& parallel = {}) const;
  // True if rows may be requested only on the caller's thread, because a host function makes them.
  bool on_callers_thread() const;

  // Returns the batch at a position, one tensor per column. The same position always gives the same
  // batch. OUT_OF_RANGE if there is no such batch.
  Result<std::vector<Tensor>> batch(const DatasetPosition& position, const ParallelFor& parallel = {}) const;
  // Returns the batch at position() and advances. OUT_OF_RANGE at the end of the epoch; the next
  // call starts the next epoch. FAILED_PRECONDITION while the data set is in use.
  Result<std::vector<Tensor>> next(const ParallelFor& parallel = {});
  const DatasetPosition& position() const { return position_; }
  Status seek(const DatasetPosition& position);

 private:
  Dataset() = default;
  // The rows of a batch, as positions in the order of the epoch.
  struct Range {
    int64_t begin, end;
  };
  Range range(int64_t batch) const;
  // For rows that do not lie in the columns.
  static Result<std::shared_ptr<Dataset>> of_types(const std::vector<RowType>& types, std::shared_ptr<MemoryPool> pool);
  const std::vector<RowType>& row_types() const;
  Result<std::vector<Tensor>> stream_batch(const DatasetPosition& position) const;
  Result<std::vector<Tensor>> converted(std::vector<Tensor> columns) const;
  Result<std::vector<Tensor>> gather_columns(std::span<const int64_t> numbers, const ParallelFor& parallel) const;
  Result<std::vector<Tensor>> gather_source(std::span<const int64_t> numbers, const ParallelFor& parallel) const;
  // The row numbers in the order of an epoch; null without shuffling.
  std::shared_ptr<const std::vector<int64_t>> order(int64_t epoch) const;

  std::vector<Column> columns_;
  std::shared_ptr<const RowSource> source_;
  std::shared_ptr<RowStream> stream_;  // neither: the columns hold the rows
  std::shared_ptr<const CsvRules> csv_rules_;
  std::shared_ptr<MemoryPool> pool_;
  int64_t rows_ = 0;
  bool is_part_ = false;
  int64_t pieces_ = 1;
  ShardRange own_ = {0, 1};  // pieces of a batch
  DatasetOptions options_;
  DatasetPosition position_;
  mutable std::atomic<int64_t> uses_{0};
  mutable std::mutex mutex_;  // guards the two members below
  mutable int64_t order_epoch_ = -1;
  mutable std::shared_ptr<const std::vector<int64_t>> order_;
};

std::vector<std::string> column_names(const Dataset& dataset);

// Returns a permutation of 0 to rows-1 that depends on `seed` and `epoch` alone.
std::vector<int64_t> shuffled_rows(int64_t rows, int64_t seed, int64_t epoch);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_DATASET_H_

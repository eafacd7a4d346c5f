// Examples in batches: columns of tensors whose first dim counts the rows.
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

namespace percale {

class RowSource;
struct CsvRules;

struct DatasetOptions {
  int64_t batch_size = 32;
  int64_t shuffle_seed =
      -1;  // -1: the order of the rows; else another order in each epoch, the same for the same seed; its
           // list of row numbers is all that a data set holds beside its batches: 8 bytes a row
  bool drop_remainder = false;  // leave out a short last batch
};

// Which batch comes next. Epochs and batches count from 0.
struct DatasetPosition {
  int64_t epoch = 0, batch = 0;
  bool operator==(const DatasetPosition&) const = default;
};

// One name's rows, as they are kept, and as batches hand them out.
struct Column {
  std::string name;
  Tensor data;                    // at any address; undefined when a RowSource gives the rows
  DType dtype = DType::kInvalid;  // of batches; kInvalid: as the data
  double scale = 1;               // what elements are multiplied by when they are converted to floats
};

// Thread-compatible; batch() alone is thread-safe.
class Dataset {
 public:
  // INVALID_ARGUMENT unless all columns have the same number of rows, one at least, and distinct names. `pool` gives the
  // batches' memory.
  static Result<std::shared_ptr<Dataset>> create(std::vector<Column> columns, std::shared_ptr<MemoryPool> pool);
  // Rows of a source (core/train/data/row_source.h), by the names that it gives them.
  static Result<std::shared_ptr<Dataset>> from_rows(std::shared_ptr<const RowSource> source,
                                                    std::shared_ptr<MemoryPool> pool);
  // Files by the names of the columns; those of one name follow each other. Of any kind that core/train/data/data_columns.h knows. Integers of rank 1 are labels and
  // become i64; u8 of a higher rank becomes f32 multiplied by `scale`, unless that is 0. `rules` are for CSV files.
  static Result<std::shared_ptr<Dataset>> from_files(const std::vector<std::string>& names,
                                                     const std::vector<std::string>& paths, double scale,
                                                     const CsvRules& rules, std::shared_ptr<MemoryPool> pool);

  // Replica `replica` of `replicas` gets of each batch of B rows the rows floor(replica * B / replicas) to the next, in batches of their
  // own, as this data set is configured now; they may be empty. Its rows by number are those of the whole.
  // Precondition: 0 <= replica < replicas, and this is no part itself.
  Result<std::shared_ptr<Dataset>> part(int64_t replicas, int64_t replica) const;
  bool is_part() const { return is_part_; }

  // Marks a data set as in use for as long as the object lives. There may be several.
  class Use {
   public:
    explicit Use(const Dataset& dataset) : uses_(dataset.uses_) { ++uses_; }
    ~Use() { --uses_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<int64_t>& uses_;
  };
  // FAILED_PRECONDITION while the data set is in use: a callback of the host is called from within training, or for a row.
  Status check_unused(std::string_view what) const;

  // Back to the start. FAILED_PRECONDITION for a part, and while the data set is in use.
  Status configure(const DatasetOptions& options);
  const DatasetOptions& options() const { return options_; }
  int64_t rows() const { return rows_; }
  int64_t batches() const;  // per epoch
  // In the batches of an epoch.
  int64_t epoch_rows() const;
  const std::vector<Column>& columns() const { return columns_; }
  // What the columns of CSV files mean; null where there are none. A data set made with these rules is alike.
  const std::shared_ptr<const CsvRules>& csv_rules() const { return csv_rules_; }
  void set_csv_rules(std::shared_ptr<const CsvRules> rules) { csv_rules_ = std::move(rules); }
  // Of batches of any size: the first dim is unknown.
  std::vector<ValueType> types() const;
  // Batches of the column come as `dtype` from now on. INVALID_ARGUMENT when that would change values beyond rounding.
  Status convert(std::string_view name, DType dtype);

  // Rows by number, whatever the options say: one tensor per column. Precondition: 0 <= number < rows().
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const ParallelFor& parallel = {}) const;
  // Rows must be asked for on the thread of whoever wants them: a host's function makes them.
  bool on_callers_thread() const;

  // A batch, the same for the same position: one tensor per column. OUT_OF_RANGE for one that is not there.
  Result<std::vector<Tensor>> batch(const DatasetPosition& position, const ParallelFor& parallel = {}) const;
  // The batch at position(), which moves on. OUT_OF_RANGE at the end of the epoch, then the next epoch begins.
  // FAILED_PRECONDITION while the data set is in use.
  Result<std::vector<Tensor>> next(const ParallelFor& parallel = {});
  const DatasetPosition& position() const { return position_; }
  Status seek(const DatasetPosition& position);

 private:
  Dataset() = default;
  // Which of an epoch's rows, in its order, are in a batch.
  struct Range {
    int64_t begin, end;
  };
  Range range(int64_t batch) const;
  Result<std::vector<Tensor>> no_rows() const;
  Result<std::vector<Tensor>> gather_columns(std::span<const int64_t> numbers, const ParallelFor& parallel) const;
  Result<std::vector<Tensor>> gather_source(std::span<const int64_t> numbers, const ParallelFor& parallel) const;
  // Row numbers in the order of an epoch; null without shuffling.
  std::shared_ptr<const std::vector<int64_t>> order(int64_t epoch) const;

  std::vector<Column> columns_;
  std::shared_ptr<const RowSource> source_;  // null: the columns have the rows
  std::shared_ptr<const CsvRules> csv_rules_;
  std::shared_ptr<MemoryPool> pool_;
  int64_t rows_ = 0;
  bool is_part_ = false;
  int64_t replicas_ = 1, replica_ = 0;
  DatasetOptions options_;
  DatasetPosition position_;
  mutable std::atomic<int64_t> uses_{0};
  mutable std::mutex mutex_;  // guards the two below
  mutable int64_t order_epoch_ = -1;
  mutable std::shared_ptr<const std::vector<int64_t>> order_;
};

std::vector<std::string> column_names(const Dataset& dataset);

// 0 to rows-1 in an order that (seed, epoch) alone decide.
std::vector<int64_t> shuffled_rows(int64_t rows, int64_t seed, int64_t epoch);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_DATASET_H_

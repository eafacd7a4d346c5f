// Sources of rows by number, for data sets whose rows are not in memory.
#ifndef PERCALE_CORE_TRAIN_DATA_ROW_SOURCE_H_
#define PERCALE_CORE_TRAIN_DATA_ROW_SOURCE_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/engine/engine.h"
#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace percale {

class Dataset;

// Name, dtype and shape of a column's rows, without the row dim.
struct RowType {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
};

// Provides rows by number. A number gives the same row at any time and on any thread. Thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual int64_t rows() const = 0;
  virtual const std::vector<RowType>& types() const = 0;
  // Returns a tensor per column with the rows of these numbers, in their order. Precondition: 0 <=
  // number < rows().
  virtual Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>& pool,
                                             const ParallelFor& parallel) const = 0;
  // True if rows may be requested only on the thread that trains, and never ahead, because a host
  // function makes them.
  virtual bool on_callers_thread() const { return false; }
};

// One column of i64: start, start + step, ... up to but excluding `stop`. INVALID_ARGUMENT if that
// is empty.
Result<std::shared_ptr<const RowSource>> range_rows(std::string name, int64_t start, int64_t stop, int64_t step);

// INVALID_ARGUMENT for a column that a host's function cannot write: elements of less than 8 bits,
// rows without a known shape.
Status check_host_rows(const std::vector<RowType>& types);

// Rows that a function writes. It writes the elements of row `number` in column i to columns[i]. If
// it returns false, the call that requested the row fails with ABORTED. The function must write the
// same row for the same number.
using RowFunction = std::function<bool(int64_t number, void* const* columns)>;
Result<std::shared_ptr<const RowSource>> generated_rows(std::vector<RowType> types, int64_t rows, RowFunction function);

// Combine data sets. Rows are in stored order; the sets' own shuffling does not matter. Zipped: all
// columns side by side; the sets must have the same number of rows. Joined: the rows of one set
// after those of the other; the sets must have the same columns. Repeated: the rows of one set,
// `times` times.
Result<std::shared_ptr<const RowSource>> zipped_rows(std::vector<std::shared_ptr<const Dataset>> sets);
Result<std::shared_ptr<const RowSource>> joined_rows(std::vector<std::shared_ptr<const Dataset>> sets);
Result<std::shared_ptr<const RowSource>> repeated_rows(std::shared_ptr<const Dataset> set, int64_t times);
// The rows of a set with its columns renamed; one new name per column.
Result<std::shared_ptr<const RowSource>> renamed_rows(std::shared_ptr<const Dataset> set,
                                                      std::vector<std::string> names);

// The outputs of a graph applied to the rows of a set. The graph has no variables; its inputs are
// columns of the set by name. It runs on the requested rows, on the engine's threads. Each output
// must have as many rows as the input, and a row must not depend on the rows it is requested with.
Result<std::shared_ptr<const RowSource>> mapped_rows(std::shared_ptr<const Dataset> set, std::shared_ptr<Engine> engine,
                                                     std::shared_ptr<const Graph> graph);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_ROW_SOURCE_H_

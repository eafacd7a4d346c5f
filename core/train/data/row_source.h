// Rows by number: what data sets are made of when their rows do not lie in memory.
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

// Name, dtype and shape of one column's rows, the shape without the number of rows.
struct RowType {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
};

// The same row for the same number, whenever and by whomever it is asked for. Thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual int64_t rows() const = 0;
  virtual const std::vector<RowType>& types() const = 0;
  // A tensor per column: the rows of these numbers, in their order. Precondition: 0 <= number < rows().
  virtual Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>& pool,
                                             const ParallelFor& parallel) const = 0;
  // Rows are asked for on the thread of whoever trains alone, never ahead: a host's function makes them.
  virtual bool on_callers_thread() const { return false; }
};

// One column of i64: start, start + step, ... before `stop`. INVALID_ARGUMENT when there is none.
Result<std::shared_ptr<const RowSource>> range_rows(std::string name, int64_t start, int64_t stop, int64_t step);

// Rows that a function writes: row `number`, each column's elements into the memory at columns[i]; false ends the call that wanted
// the row with ABORTED. The function must give the same row for the same number.
using RowFunction = std::function<bool(int64_t number, void* const* columns)>;
Result<std::shared_ptr<const RowSource>> generated_rows(std::vector<RowType> types, int64_t rows, RowFunction function);

// Of data sets, in the order of their rows, which their own shuffling does not change. The columns of all side by side, for sets of
// one number of rows; all rows one set after the other, for sets of the same columns; the rows of one `times` over.
Result<std::shared_ptr<const RowSource>> zipped_rows(std::vector<std::shared_ptr<const Dataset>> sets);
Result<std::shared_ptr<const RowSource>> joined_rows(std::vector<std::shared_ptr<const Dataset>> sets);
Result<std::shared_ptr<const RowSource>> repeated_rows(std::shared_ptr<const Dataset> set, int64_t times);
// The rows of a set under other names of its columns, one for each.
Result<std::shared_ptr<const RowSource>> renamed_rows(std::shared_ptr<const Dataset> set,
                                                      std::vector<std::string> names);

// The outputs of a graph without variables, whose inputs are columns of the set by name, run on the rows that are wanted, on the
// engine's threads. Each output must have as many rows as came in, and must not depend on which rows come together.
Result<std::shared_ptr<const RowSource>> mapped_rows(std::shared_ptr<const Dataset> set, std::shared_ptr<Engine> engine,
                                                     std::shared_ptr<const Graph> graph);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_ROW_SOURCE_H_

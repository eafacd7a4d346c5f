// Takes the lookups in tables out of the function that computes a shard: it gets the rows that it
// needs instead of whole tables.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_TABLE_LOOKUPS_H_
#define PERCALE_CORE_TRAIN_PARALLEL_TABLE_LOOKUPS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Gives the row numbers that a shard looks up in tables.
inline constexpr std::string_view kLookUpFunction = "train_look_up";

// Tables of which a shard gets only the rows that it looks up.
struct TableLookups {
  static constexpr int64_t kNoRow = 0;  // the position that stands for padding
  struct Lookup {
    DType dtype = DType::kI64;
    int64_t padding = -1;   // the row number that means no row; -1: none
    bool wraps = false;     // negative row numbers count from the end
    std::string positions;  // the input for the positions of these rows among those of the shard
  };
  struct Table {
    size_t variable = 0;  // index in the graph
    std::string rows;     // the input for the rows; none has position kNoRow
    std::vector<Lookup> lookups;
  };
  std::vector<Table> tables;
  // kLookUpFunction's inputs as indices into those of the model, and per lookup the name of its row
  // numbers (i64).
  std::vector<size_t> inputs;
  std::vector<std::string> outputs;
};

// Adds a kLookUpFunction, and inputs of `compute` for rows and their positions. Does so for those
// of the `tables`, names of variables, that `compute` uses in lookups alone, and whose row numbers
// depend on nothing but inputs of the model. `inputs`: their names.
Result<std::shared_ptr<const Graph>> take_out_lookups(const Graph& graph, std::string_view compute,
                                                      const std::vector<std::string>& tables,
                                                      const std::vector<std::string>& inputs, TableLookups* out);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_TABLE_LOOKUPS_H_

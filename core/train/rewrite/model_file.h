// Takes a model, or part of one, from a file to train it further: transfer learning.
#ifndef PERCALE_CORE_TRAIN_REWRITE_MODEL_FILE_H_
#define PERCALE_CORE_TRAIN_REWRITE_MODEL_FILE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Opens a model by path. A host with importers passes a function that knows their formats.
using OpenModel = std::function<Result<std::shared_ptr<const Graph>>(const std::string& path)>;
// Opens the formats that need no importer: `.percale`. UNIMPLEMENTED for others.
Result<std::shared_ptr<const Graph>> open_own_model(const std::shared_ptr<const Registry>& registry,
                                                    const std::string& path, const std::shared_ptr<MemoryPool>& memory);

// Returns the part of a model that the values `outputs` of "main" need (empty: its only output).
// They become its outputs, in order. A single input is called "x"; several keep their names.
// Functions, variables and first values that are not needed are omitted. A value with a name in
// `reserved` is renamed. NOT_FOUND names the nearest value; INVALID_ARGUMENT if no inputs are left.
Result<std::shared_ptr<const Graph>> model_body(const Graph& graph, const std::vector<std::string>& outputs,
                                                const std::vector<std::string>& reserved);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_MODEL_FILE_H_

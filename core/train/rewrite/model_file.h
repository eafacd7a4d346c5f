// A model that a SPEC takes from a file and goes on from: transfer learning.
#ifndef PERCALE_CORE_TRAIN_REWRITE_MODEL_FILE_H_
#define PERCALE_CORE_TRAIN_REWRITE_MODEL_FILE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// A MODEL by its path. Whoever has importers gives a function that knows their formats.
using OpenModel = std::function<Result<std::shared_ptr<const Graph>>(const std::string& path)>;
// The formats that need no importer: `.percale`. UNIMPLEMENTED for others.
Result<std::shared_ptr<const Graph>> open_own_model(const std::shared_ptr<const Registry>& registry,
                                                    const std::string& path, const std::shared_ptr<MemoryPool>& memory);

// What of a model the values `outputs` of "main" need (empty: its only output), which become its outputs in their order. One
// input is called "x", several keep their names. Functions, variables and first values that they do not need are left out; a value called like one of
// `reserved` gets another name. NOT_FOUND names the nearest value; INVALID_ARGUMENT where no inputs are left.
Result<std::shared_ptr<const Graph>> model_body(const Graph& graph, const std::vector<std::string>& outputs,
                                                const std::vector<std::string>& reserved);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_MODEL_FILE_H_

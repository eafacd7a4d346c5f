// Helpers to read and write graphs in files.
#ifndef PERCALE_C_API_GRAPH_GRAPH_FILE_H_
#define PERCALE_C_API_GRAPH_GRAPH_FILE_H_

#include <memory>
#include <string>

#include "c_api/graph/variables.h"
#include "c_api/handles.h"
#include "c_api/include/percale_plugin.h"

namespace percale::c_api {

// The graph with values of the table (may be null) as first values. Variables that the table does
// not have keep theirs.
Result<std::shared_ptr<const Graph>> with_values(std::shared_ptr<const Graph> graph, const percale_variables* table);

// UNIMPLEMENTED names the formats that are there.
Result<const percale_format*> format_of(const char* function, const percale_engine& engine, const char* format);

// A model by its path: a .percale file, or a model of a format that a plug-in imports.
Result<std::shared_ptr<const Graph>> open_model(const char* function, percale_engine* engine, const std::string& path);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_GRAPH_GRAPH_FILE_H_

// What reading and writing graphs in files share.
#ifndef PERCALE_C_API_GRAPH_GRAPH_FILE_H_
#define PERCALE_C_API_GRAPH_GRAPH_FILE_H_

#include <memory>

#include "c_api/run/session.h"

namespace percale::c_api {

// The graph with values of the table (may be null) as first values. Variables that the table does not have keep theirs.
Result<std::shared_ptr<const Graph>> with_values(std::shared_ptr<const Graph> graph, const percale_variables* table);

// UNIMPLEMENTED names the formats that are there.
Result<const percale_format*> format_of(const char* function, const percale_engine& engine, const char* format);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_GRAPH_GRAPH_FILE_H_

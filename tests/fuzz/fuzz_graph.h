// Operations of the fuzz targets on a graph that was accepted.
#ifndef PERCALE_TESTS_FUZZ_FUZZ_GRAPH_H_
#define PERCALE_TESTS_FUZZ_FUZZ_GRAPH_H_

#include "c_api/include/percale.h"

namespace percale::fuzz {

// Returns one engine for all executions, with one thread and 64 MB. `plugin_path` is the value of
// that option.
percale_engine* engine(const char* plugin_path);

// Aborts, which is a finding, if there is an error.
void must(percale_status* status);

// Releases a status. Aborts, which is a finding, if it reports an internal error.
void answered(percale_status* status);

// Makes variables, a session and a plan for the graph's inputs and outputs; unknown dims count as
// 1. Writes the graph as a .percale file, which must be readable. Takes ownership of the graph.
void use(percale_engine* engine, percale_graph* graph);

// Call at the end of an execution. Aborts if a status was not released.
void check_statuses();

}  // namespace percale::fuzz

#endif  // PERCALE_TESTS_FUZZ_FUZZ_GRAPH_H_

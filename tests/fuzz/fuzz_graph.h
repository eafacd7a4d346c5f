// What the fuzz targets do with a graph that was let in.
#ifndef PERCALE_TESTS_FUZZ_FUZZ_GRAPH_H_
#define PERCALE_TESTS_FUZZ_FUZZ_GRAPH_H_

#include "c_api/include/percale.h"

namespace percale::fuzz {

// One engine for all executions: one thread, 64 MB. `plugin_path` as the option.
percale_engine* engine(const char* plugin_path);

// Aborts, which is a finding, where there is a status: an error.
void must(percale_status* status);

// Releases a status. Aborts, which is a finding, where it says that something of ours is wrong.
void answered(percale_status* status);

// Makes variables, a session and a plan for the graph's inputs and outputs, unknown dims taken as 1; writes the graph as a .percale
// file, which must be read again. Takes the graph over.
void use(percale_engine* engine, percale_graph* graph);

// At the end of an execution: aborts where a status was not given back.
void check_statuses();

}  // namespace percale::fuzz

#endif  // PERCALE_TESTS_FUZZ_FUZZ_GRAPH_H_

// The code that flatc generates from graph.fbs, with our warnings disabled. Only the reader, the
// writer and their tests include it.
#ifndef PERCALE_CORE_GRAPH_IO_SCHEMA_FLAT_H_
#define PERCALE_CORE_GRAPH_IO_SCHEMA_FLAT_H_

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "core/graph_io/schema/graph_generated.h"
#pragma GCC diagnostic pop

#endif  // PERCALE_CORE_GRAPH_IO_SCHEMA_FLAT_H_

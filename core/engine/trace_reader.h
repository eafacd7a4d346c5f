// Reads the times of nodes from a recorded trace.
#ifndef PERCALE_CORE_ENGINE_TRACE_READER_H_
#define PERCALE_CORE_ENGINE_TRACE_READER_H_

#include <string_view>

#include "core/base/status.h"
#include "core/placement/measured.h"

namespace percale {

// The times of nodes in the JSON of a trace (Trace::to_json). INVALID_ARGUMENT if it is not such a
// text.
Result<MeasuredTimes> times_of_trace(std::string_view json);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_TRACE_READER_H_

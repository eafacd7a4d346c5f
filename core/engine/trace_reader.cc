#include "core/engine/trace_reader.h"

#include <map>
#include <string>
#include <vector>

#include "core/text/json.h"

namespace percale {
namespace {

Result<std::string> text_of(const Json& event, std::string_view key) {
  const Json* value = event.find(key);
  if (value == nullptr) return event.error(key, "is missing");
  return value->as_string(key);
}

// "cpu:0" of "cpu:0 (2)", a further row of the same track.
std::string track_of(std::string row) {
  const size_t space = row.find(" (");
  if (space != std::string::npos) row.resize(space);
  return row;
}

}  // namespace

Result<MeasuredTimes> times_of_trace(std::string_view json) {
  PERCALE_ASSIGN_OR_RETURN(const Json root, Json::parse(json, {.values = size_t{1} << 26}));
  const Json* events = root.find("traceEvents");
  if (events == nullptr) return root.error("traceEvents", "is missing: this is no trace");
  PERCALE_RETURN_IF_ERROR(events->expect(Json::Kind::kArray, "traceEvents"));
  MeasuredTimes out;
  std::map<int64_t, std::string> rows;
  for (size_t i = 0; i < events->size(); ++i) {
    const Json& event = events->item(i);
    const Result<std::string> phase = text_of(event, "ph");
    PERCALE_RETURN_IF_ERROR(phase.status());
    const bool names_row = *phase == std::string_view("M");
    if (!names_row && *phase != std::string_view("X")) continue;
    PERCALE_ASSIGN_OR_RETURN(const std::string name, text_of(event, "name"));
    const Json *row = event.find("tid"), *args = event.find("args");
    if (row == nullptr) return event.error("tid", "is missing");
    PERCALE_ASSIGN_OR_RETURN(const int64_t number, row->as_int("tid"));
    if (names_row) {
      if (name != "thread_name" || args == nullptr) continue;
      PERCALE_ASSIGN_OR_RETURN(std::string title, text_of(*args, "name"));
      rows[number] = track_of(std::move(title));
      continue;
    }
    const Json* duration = event.find("dur");
    if (duration == nullptr) return event.error("dur", "is missing");
    PERCALE_ASSIGN_OR_RETURN(const double microseconds, duration->as_double("dur"));
    std::vector<std::string> nodes;
    const Json* members = args == nullptr ? nullptr : args->find("nodes");
    for (size_t m = 0; members != nullptr && m < members->size(); ++m) {
      PERCALE_ASSIGN_OR_RETURN(nodes.emplace_back(), members->item(m).as_string("nodes"));
    }
    // "MatMul fc1"; what is no node's name is found nowhere.
    const size_t space = name.find(' ');
    if (nodes.empty() && space != std::string::npos) nodes.push_back(name.substr(space + 1));
    if (microseconds >= 0) out.add(rows[number], nodes, microseconds * 1e-6);
  }
  return out;
}

}  // namespace percale

#include "core/engine/trace.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "core/text/json.h"

namespace percale {
namespace {

// A viewer needs the spans of one row to enclose or to follow each other. Spans of concurrent runs
// overlap, so a row is split into lanes without overlap.
struct Lane {
  std::vector<int64_t> open_ends;  // of the spans that enclose what comes next, outermost first

  bool fits(int64_t begin, int64_t end) {
    while (!open_ends.empty() && open_ends.back() <= begin) open_ends.pop_back();
    return open_ends.empty() || end <= open_ends.back();
  }
};

double microseconds(int64_t ns) { return static_cast<double>(ns) / 1000.0; }

void write_row_name(JsonWriter& json, int64_t row, std::string_view name) {
  json.begin_object();
  json.key("ph").value("M").key("pid").value(1).key("tid").value(row).key("name").value("thread_name");
  json.key("args").begin_object().key("name").value(name).end_object();
  json.end_object();
  json.begin_object();
  json.key("ph").value("M").key("pid").value(1).key("tid").value(row).key("name").value("thread_sort_index");
  json.key("args").begin_object().key("sort_index").value(row).end_object();
  json.end_object();
}

}  // namespace

void Trace::add(std::string_view name, std::string_view track, int64_t begin_ns, int64_t end_ns,
                std::string_view detail, std::span<const std::string> nodes) {
  const std::lock_guard lock(mutex_);
  if (spans_.size() >= max_spans_) {
    ++dropped_;
    return;
  }
  spans_.push_back({std::string(name),
                    std::string(track),
                    std::string(detail),
                    begin_ns,
                    std::max(begin_ns, end_ns),
                    {nodes.begin(), nodes.end()}});
}

std::string Trace::to_json() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Span*> order;
  for (const Span& span : spans_) order.push_back(&span);
  // By begin, the enclosing one first.
  std::stable_sort(order.begin(), order.end(), [](const Span* a, const Span* b) {
    return a->begin_ns != b->begin_ns ? a->begin_ns < b->begin_ns : a->end_ns > b->end_ns;
  });
  const int64_t start = order.empty() ? 0 : order[0]->begin_ns;

  std::map<std::string_view, std::vector<Lane>> tracks;
  std::vector<size_t> lane_of;
  for (const Span* span : order) {
    auto& lanes = tracks[span->track];
    size_t lane = 0;
    while (lane < lanes.size() && !lanes[lane].fits(span->begin_ns, span->end_ns)) ++lane;
    if (lane == lanes.size()) lanes.emplace_back();
    lanes[lane].open_ends.push_back(span->end_ns);
    lane_of.push_back(lane);
  }

  JsonWriter json;
  json.begin_object().key("displayTimeUnit").value("ns").key("traceEvents").begin_array();
  std::map<std::string_view, int64_t> first_row;
  int64_t row = 0;
  for (const auto& [track, lanes] : tracks) {
    first_row[track] = row + 1;
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      write_row_name(json, ++row, lane == 0 ? std::string(track) : str_cat(track, " (", uint64_t{lane + 1}, ")"));
    }
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const Span& span = *order[i];
    json.begin_object().key("ph").value("X").key("pid").value(1);
    json.key("tid").value(first_row[span.track] + static_cast<int64_t>(lane_of[i]));
    json.key("name").value(span.name);
    json.key("ts").value(microseconds(span.begin_ns - start));
    json.key("dur").value(microseconds(span.end_ns - span.begin_ns));
    if (!span.detail.empty() || !span.nodes.empty()) {
      json.key("args").begin_object();
      if (!span.detail.empty()) json.key("detail").value(span.detail);
      if (!span.nodes.empty()) json.key("nodes").begin_array();
      for (const std::string& node : span.nodes) json.value(node);
      if (!span.nodes.empty()) json.end_array();
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
  json.key("otherData").begin_object().key("dropped_spans").value(dropped_).end_object();
  json.end_object();
  return json.text();
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace percale

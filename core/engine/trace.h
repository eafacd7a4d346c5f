// Spans of time that runs record while a trace is attached. Chrome and Perfetto open the JSON.
#ifndef PERCALE_CORE_ENGINE_TRACE_H_
#define PERCALE_CORE_ENGINE_TRACE_H_

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percale {

// Thread-safe. Keeps at most `max_spans` spans; later ones are counted and dropped.
class Trace {
 public:
  explicit Trace(size_t max_spans = 1 << 20) : max_spans_(max_spans) {}
  // Times are in ns on the monotonic clock. `track`: the row of the span, such as "cpu:0". `detail`
  // and `nodes` (the nodes that ran as one) are shown on click.
  void add(std::string_view name, std::string_view track, int64_t begin_ns, int64_t end_ns,
           std::string_view detail = {}, std::span<const std::string> nodes = {});
  std::string to_json() const;

 private:
  struct Span {
    std::string name, track, detail;
    int64_t begin_ns, end_ns;
    std::vector<std::string> nodes;
  };
  const size_t max_spans_;
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
  int64_t dropped_ = 0;
};

// ns on the monotonic clock.
int64_t now_ns();

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_TRACE_H_

#include "device_table.h"

#include <algorithm>
#include <cstdio>

#include "api.h"

namespace percale_cli {

void print_devices(const Json& run) {
  const auto devices = run["devices"].items();
  if (devices.empty()) return;
  int width = 6;
  for (const Json& d : devices) width = std::max(width, static_cast<int>(d["name"].text().size()));
  std::fprintf(stderr, "%-*s  %8s  %10s  %9s  %9s\n", width, "device", "shards", "rows/s", "busy s", "waiting s");
  for (const Json& d : devices) {
    print(stderr, "%-*s  %8lld  %10.1f  %9.2f  %9.2f%s\n", width, d["name"].text().c_str(),
          static_cast<long long>(d["shards"].integer()), d["rows_per_second"].number(), d["busy_seconds"].number(),
          d["waiting_seconds"].number(), d["lost"].flag() ? "  lost" : "");
  }
  std::string line;
  char text[160];
  std::snprintf(text, sizeof text, "averaging %.3f s, %.3f s of it exposed; commits %.3f s",
                run["averaging_seconds"].number(), run["exposed_averaging_seconds"].number(),
                run["commit_seconds"].number());
  line += text;
  if (const int64_t dropped = run["shards"]["dropped"].integer(); dropped > 0) {
    line += "; shards dropped: " + std::to_string(dropped);
  }
  const auto staleness = run["staleness"].items();
  if (staleness.size() > 1) line += "; steps behind:";
  constexpr size_t kMost = 6;
  for (size_t i = 0; i < staleness.size() && staleness.size() > 1 && i < kMost; ++i) {
    line += " " + staleness[i]["commits"].text() + " (" + staleness[i]["shards"].text() + " shards)";
  }
  if (staleness.size() > kMost) line += " ... " + staleness.back()["commits"].text();
  std::fprintf(stderr, "%s\n", line.c_str());
}

std::string run_json(const Json& run) {
  std::string out;
  for (const auto& [name, value] : run.members()) {
    if (name != "devices") out += (out.empty() ? "{" : ",") + json_string(name) + ":" + value.text();
  }
  return out.empty() ? "null" : out + "}";
}

}  // namespace percale_cli

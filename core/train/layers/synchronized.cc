#include "core/train/layers/synchronized.h"

namespace percale {
namespace {

constexpr std::string_view kKey = "percale.synchronized";  // names, one per line

std::string_view list_in(const Graph& graph) {
  const auto found = graph.metadata.find(std::string(kKey));
  return found == graph.metadata.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

void set_synchronized(Builder& builder, std::string_view moving_mean) {
  builder.set_metadata(kKey, str_cat(list_in(builder.graph()), moving_mean, "\n"));
}

bool is_synchronized(const Graph& graph, std::string_view moving_mean) {
  return str_cat("\n", list_in(graph)).find(str_cat("\n", moving_mean, "\n")) != std::string::npos;
}

}  // namespace percale

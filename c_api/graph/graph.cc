#include "c_api/handles.h"
#include "core/base/similar_name.h"
#include "core/compile/report/drawing.h"
#include "core/graph_io/describe.h"
#include "core/graph_io/input_dims.h"
#include "core/registry/registry.h"

using namespace percale;
using namespace percale::c_api;

percale_graph* percale_graph_retain(percale_graph* graph) { return retain(graph); }

void percale_graph_release(percale_graph* graph) { release(graph); }

const char* percale_graph_get_input_name(const percale_graph* graph, size_t index) {
  if (graph == nullptr || index >= graph->graph->main().inputs.size()) return nullptr;
  return graph->graph->main().value(graph->graph->main().inputs[index]).name.c_str();
}

const char* percale_graph_get_output_name(const percale_graph* graph, size_t index) {
  if (graph == nullptr || index >= graph->graph->main().outputs.size()) return nullptr;
  return graph->graph->main().value(graph->graph->main().outputs[index]).name.c_str();
}

percale_status* percale_graph_value_type(const percale_graph* graph, const char* name, percale_dtype* out_dtype,
                                         int64_t* out_dims, size_t* out_rank) {
  clear(out_dtype);
  clear(out_rank);
  return guarded(__func__, {NEEDS(graph), NEEDS(name), NEEDS(out_dtype), NEEDS(out_dims), NEEDS(out_rank)},
                 [&, function = __func__]() -> Status {
                   const Function& main = graph->graph->main();
                   const ValueId id = main.find_value(name);
                   if (id == kNoValue) {
                     std::vector<std::string> known;
                     for (const Value& value : main.values) known.push_back(value.name);
                     return not_found(function, ": the graph has no value '", name, "'", did_you_mean(name, known));
                   }
                   *out_dtype = static_cast<percale_dtype>(main.type(id).dtype);
                   write_shape(main.type(id).shape, out_dims, out_rank);
                   return {};
                 });
}

percale_status* percale_graph_with_dims(const percale_graph* graph, const char* const* dims, size_t count,
                                        percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {NEEDS(graph), NEEDS(out_graph)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto texts, names_of(function, "dims", dims, count));
    std::vector<InputDim> parsed;
    for (const std::string& text : texts) {
      PERCALE_ASSIGN_OR_RETURN(parsed.emplace_back(), parse_input_dim(text));
    }
    auto handle = std::make_unique<percale_graph>(nullptr);
    PERCALE_ASSIGN_OR_RETURN(handle->graph, with_input_dims(*graph->graph, parsed));
    *out_graph = handle.release();
    return {};
  });
}

percale_status* percale_graph_describe(const percale_graph* graph, const char* what, percale_text** out_text) {
  clear(out_text);
  return guarded(__func__, {NEEDS(graph), NEEDS(what), NEEDS(out_text)}, [&, function = __func__]() -> Status {
    const std::string_view wanted = what;
    std::string text;
    if (wanted == "summary") {
      text = describe_graph(*graph->graph);
    } else if (wanted == "nodes") {
      text = describe_nodes(*graph->graph);
    } else {
      return not_found(function, ": nothing is called '", wanted, "', only summary and nodes");
    }
    *out_text = make_text(std::move(text));
    return {};
  });
}

percale_status* percale_graph_draw(const percale_graph* graph, const char* format, const char* trace,
                                   percale_text** out_text) {
  clear(out_text);
  return guarded(__func__, {NEEDS(graph), NEEDS(format), NEEDS(out_text)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(std::string text, draw_graph(*graph->graph, format, trace == nullptr ? "" : trace));
    *out_text = make_text(std::move(text));
    return {};
  });
}

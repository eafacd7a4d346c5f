// The struct behind percale_builder.
#ifndef PERCALE_C_API_GRAPH_BUILDER_H_
#define PERCALE_C_API_GRAPH_BUILDER_H_

#include <memory>
#include <optional>

#include "c_api/engine.h"
#include "core/graph/builder.h"

struct percale_builder {
  // A node or layer that was begun.
  struct Pending {
    bool layer = false;
    int32_t version = 0;  // the opset that says what the node means; 0 = the newest
    std::string op, name;
    std::vector<percale::ValueId> inputs;
    percale::Attributes attributes;
    percale::Status error;  // the first of those that were reported since
  };
  // A number that was handed out means a value of one function: another function's is refused, not
  // mistaken.
  struct Ref {
    const percale::FunctionBuilder* function;
    percale::ValueId id;
  };

  percale_builder(percale_engine* e, std::unique_ptr<percale::Builder> b)
      : engine(e), builder(std::move(b)), open{&builder->main()} {}

  percale::c_api::Ref<percale_engine> engine;
  std::unique_ptr<percale::Builder> builder;
  std::vector<percale::FunctionBuilder*> open;  // "main", then the functions that were started
  std::vector<Ref> values;
  std::optional<Pending> pending;
  std::string target;  // of percale_builder_minimize()
  percale::c_api::OneThread thread{"builder"};

  percale::FunctionBuilder& current() { return *open.back(); }
  // The number that stands for a value of the current function.
  percale_value give(percale::ValueId id);
  // The value that a number stands for; INVALID_ARGUMENT when it is none of the current function.
  percale::Result<percale::ValueId> take(const char* function, percale_value value);
  percale::Result<std::vector<percale::ValueId>> take(const char* function, const char* argument,
                                                      const percale_value* values, size_t count);
  // A variable with this first value; the value that reads it.
  percale::Result<percale_value> variable(std::string_view name, const percale::Tensor& initial, bool trainable);
  // FAILED_PRECONDITION while a node is begun.
  percale::Status check_no_pending(const char* function) const;
};

#endif  // PERCALE_C_API_GRAPH_BUILDER_H_

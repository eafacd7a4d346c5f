// Rows that a graph computes from the rows of another data set.
#include <algorithm>

#include "core/session/session.h"
#include "core/train/data/dataset.h"
#include "core/train/data/row_source.h"

namespace percale {
namespace {

class Mapped final : public RowSource {
 public:
  Mapped(std::shared_ptr<const Dataset> set, std::shared_ptr<Session> session, RunSpec spec, std::vector<size_t> inputs,
         std::vector<RowType> types)
      : set_(std::move(set)),
        session_(std::move(session)),
        spec_(std::move(spec)),
        inputs_(std::move(inputs)),
        types_(std::move(types)) {}
  int64_t rows() const override { return set_->rows(); }
  const std::vector<RowType>& types() const override { return types_; }
  bool on_callers_thread() const override { return set_->on_callers_thread(); }
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>&,
                                     const ParallelFor& parallel) const override {
    PERCALE_ASSIGN_OR_RETURN(const auto columns, set_->gather(numbers, parallel));
    std::vector<Tensor> feeds;
    for (size_t i : inputs_) feeds.push_back(columns[i]);
    // Rows belong to no step. A fixed step gives a row the same random numbers each time.
    RunOptions options;
    options.step = 0;
    auto out = session_->run(spec_, feeds, options);
    if (!out.ok()) return out.status().with_context("data set: map");
    for (size_t i = 0; i < types_.size(); ++i) {
      const Shape& shape = (*out)[i].shape();
      Shape wanted{static_cast<int64_t>(numbers.size())};
      for (int64_t d : types_[i].shape) wanted.push_back(d);
      if (!(shape == wanted)) {
        return invalid_argument("data set: map: '", types_[i].name, "' has shape ", shape, ", wanted ", wanted);
      }
    }
    return out;
  }

 private:
  std::shared_ptr<const Dataset> set_;
  std::shared_ptr<Session> session_;
  RunSpec spec_;
  std::vector<size_t> inputs_;  // the column of each feed
  std::vector<RowType> types_;
};

}  // namespace

Result<std::shared_ptr<const RowSource>> mapped_rows(std::shared_ptr<const Dataset> set, std::shared_ptr<Engine> engine,
                                                     std::shared_ptr<const Graph> graph) {
  if (!graph->variables.empty()) return invalid_argument("data set: the graph of a map must not have variables");
  const Function& f = graph->main();
  RunSpec spec;
  std::vector<size_t> inputs;
  const auto& columns = set->columns();
  for (ValueId id : f.inputs) {
    const Value& v = f.value(id);
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == v.name; });
    if (found == columns.end())
      return not_found("data set: the graph of a map needs the input '", v.name, "', which the data set lacks");
    spec.feeds.push_back(v.name);
    inputs.push_back(static_cast<size_t>(found - columns.begin()));
  }
  std::vector<RowType> types;
  for (ValueId id : f.outputs) {
    const Value& v = f.value(id);
    const Shape& shape = v.type.shape;
    if (!shape.known_rank() || shape.rank() == 0 || shape[0] >= 0) {
      return invalid_argument("data set: '", v.name, "' of the graph of a map has shape ", shape, ", wanted [?, ...]");
    }
    RowType type{v.name, v.type.dtype, {}};
    for (size_t d = 1; d < shape.rank(); ++d) {
      if (shape[d] < 0)
        return invalid_argument("data set: '", v.name, "' of the graph of a map has rows of unknown shape");
      type.shape.push_back(shape[d]);
    }
    types.push_back(std::move(type));
    spec.fetches.push_back(v.name);
  }
  PERCALE_ASSIGN_OR_RETURN(auto session, Session::create(std::move(engine), std::move(graph), nullptr));
  return std::shared_ptr<const RowSource>(std::make_shared<Mapped>(std::move(set), std::move(session), std::move(spec),
                                                                   std::move(inputs), std::move(types)));
}

}  // namespace percale

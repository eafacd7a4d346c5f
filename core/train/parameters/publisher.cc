#include "core/train/parameters/publisher.h"

#include <charconv>

namespace percale {

Result<Publishing> parse_publishing(std::string_view text) {
  using When = Publishing::When;
  Publishing out;
  for (const auto& [name, when] :
       {std::pair{"auto", When::kAuto}, {"step", When::kSteps}, {"epoch", When::kEpoch}, {"hand", When::kByHand}}) {
    if (text != name) continue;
    out.when = when;
    return out;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.steps);
  if (error != std::errc() || end != text.data() + text.size() || out.steps < 1) {
    return invalid_argument("'publish' is '", text, "', wanted auto, step, epoch, hand or a number of steps");
  }
  out.when = When::kSteps;
  return out;
}

Result<std::vector<Tensor>> first_values(const Graph& graph, const Variables& table) {
  const auto current = table.current();
  std::vector<Tensor> out;
  for (const Variable& v : graph.variables) {
    const int32_t place = table.find(v.name);
    const Tensor& first = place >= 0 ? current->values[static_cast<size_t>(place)] : v.initial;
    if (!first.defined()) return not_found("the variables have no '", v.name, "'");
    if (first.dtype() != v.dtype || !(first.shape() == v.shape)) {
      return invalid_argument("variable '", v.name, "' is ", first.dtype(), " ", first.shape(), ", the model wants ",
                              v.dtype, " ", v.shape);
    }
    out.push_back(first);
  }
  return out;
}

Publisher::Publisher(std::shared_ptr<Variables> table, const Graph& graph, WorkingSet& working, ParameterStore& store,
                     std::shared_ptr<MemoryPool> memory)
    : table_(std::move(table)), working_(working), store_(store), memory_(std::move(memory)), seen_(table_->current()) {
  for (const Variable& v : graph.variables) places_.push_back(table_->find(v.name));
}

// A variable that was not assigned has the same memory in both versions.
Status Publisher::take_up_table() {
  auto current = table_->current();
  if (current == seen_) return {};
  PERCALE_RETURN_IF_ERROR(store_.synchronize());
  for (size_t i = 0; i < working_.size(); ++i) {
    if (places_[i] < 0 || working_.values()[i].bytes() == 0) continue;
    const auto place = static_cast<size_t>(places_[i]);
    const Tensor& value = current->values[place];
    if (value.data() != seen_->values[place].data()) working_.assign(i, value);
  }
  seen_ = std::move(current);
  store_.note_assigned();
  return {};
}

Result<Publisher::Draft> Publisher::draft() const {
  Draft out;
  for (const size_t i : working_.trained()) {
    if (places_[i] < 0) continue;
    const Tensor& own = working_.values()[i];
    PERCALE_ASSIGN_OR_RETURN(Tensor copy, Tensor::allocate(memory_, own.dtype(), own.shape()));
    out.changes.emplace_back(places_[i], std::move(copy));
    out.sources.push_back(i);
  }
  out.version = table_->draft();
  return out;
}

void Publisher::publish(Draft draft, int64_t steps) noexcept {
  for (size_t k = 0; k < draft.changes.size(); ++k) {
    copy_contents(working_.values()[working_.served_at(draft.sources[k], steps)], draft.changes[k].second);
  }
  seen_ = table_->publish(std::move(draft.version), draft.changes);
  ahead_ = false;
}

Status Publisher::publish(int64_t steps) {
  PERCALE_ASSIGN_OR_RETURN(Draft made, draft());
  PERCALE_RETURN_IF_ERROR(store_.synchronize());
  publish(std::move(made), steps);
  return {};
}

}  // namespace percale

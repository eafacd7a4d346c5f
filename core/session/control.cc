#include "core/session/control.h"

#include <cstring>
#include <span>

namespace percale {
namespace {

Result<const Function*> function_of(const Graph& graph, const Node& node, std::string_view attribute) {
  const AttrValue* value = node.attributes.find(attribute);
  const FunctionRef* ref = value != nullptr ? value->get_if<FunctionRef>() : nullptr;
  const Function* found = ref != nullptr ? graph.find_function(ref->name) : nullptr;
  if (found == nullptr) return not_found(op_name(*node.op), " '", node.name, "': no function '", attribute, "'");
  return found;
}

bool truth(const Tensor& condition) { return *static_cast<const bool*>(condition.data()); }

Status check_scalar(const Node& node, std::string_view name, const Tensor& value) {
  if (value.num_elements() == 1) return {};
  return invalid_argument(node.op->name, " '", node.name, "': ", name, " must have one element, its shape is ",
                          value.shape());
}

// Concatenates the values of all trips.
Result<Tensor> stack(const std::vector<Tensor>& trips, const ValueType& declared,
                     const std::shared_ptr<MemoryPool>& memory) {
  Shape shape{static_cast<int64_t>(trips.size())};
  const Shape& each = trips.empty() ? declared.shape : trips[0].shape();
  if (each.rank() >= kMaxRank)
    return invalid_argument("a scan output of rank ", static_cast<uint64_t>(each.rank()),
                            " cannot be stacked: the limit is 8");
  for (int64_t dim : each) shape.push_back(dim < 0 ? 0 : dim);
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(memory, declared.dtype, shape));
  auto* to = static_cast<std::byte*>(out.data());
  for (const Tensor& t : trips) {
    if (!(t.shape() == each)) {
      return invalid_argument("scan outputs must have one shape, got ", each, " and ", t.shape());
    }
    std::memcpy(to, t.data(), static_cast<size_t>(t.bytes()));
    to += t.bytes();
  }
  return out;
}

Result<std::vector<Tensor>> run_if(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
                                   const CallFunction& call) {
  PERCALE_RETURN_IF_ERROR(check_scalar(node, "cond", inputs[0]));
  PERCALE_ASSIGN_OR_RETURN(const Function* branch,
                           function_of(graph, node, truth(inputs[0]) ? "then_branch" : "else_branch"));
  return call(*branch, std::span(inputs).subspan(1));
}

Result<std::vector<Tensor>> run_loop(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
                                     const std::shared_ptr<MemoryPool>& memory, const CallFunction& call) {
  const Attributes attributes = with_defaults(*node.op, node.attributes);
  PERCALE_ASSIGN_OR_RETURN(const Function* body, function_of(graph, node, "body"));
  const auto carried = static_cast<size_t>(attributes.get_int("num_carried"));
  const int64_t limit = attributes.get_int("trip_limit");
  const bool counted = !inputs.empty() && inputs[0].defined();
  bool going = true;
  if (counted) PERCALE_RETURN_IF_ERROR(check_scalar(node, "M", inputs[0]));
  if (inputs.size() > 1 && inputs[1].defined()) {
    PERCALE_RETURN_IF_ERROR(check_scalar(node, "cond", inputs[1]));
    going = truth(inputs[1]);
  }
  const int64_t most = counted ? *static_cast<const int64_t*>(inputs[0].data()) : INT64_MAX;

  std::vector<Tensor> arguments(2 + (inputs.size() > 2 ? inputs.size() - 2 : 0));
  for (size_t i = 2; i < inputs.size(); ++i) arguments[i] = inputs[i];
  if (body->outputs.size() < 1 + carried || arguments.size() < 2 + carried) {
    return invalid_argument(node.op->name, " '", node.name, "': num_carried is more than the body carries");
  }
  std::vector<std::vector<Tensor>> scans(body->outputs.size() - 1 - carried);
  for (int64_t trip = 0; going && trip < most; ++trip) {
    if (trip >= limit) {
      return resource_exhausted(node.op->name, " '", node.name, "': more than trip_limit = ", limit, " trips");
    }
    arguments[0] = Tensor::scalar(trip);
    arguments[1] = Tensor::scalar(true);
    PERCALE_ASSIGN_OR_RETURN(auto results, call(*body, arguments));
    PERCALE_RETURN_IF_ERROR(check_scalar(node, "the body's condition", results[0]));
    going = truth(results[0]);
    for (size_t i = 0; i < carried; ++i) arguments[2 + i] = results[1 + i];
    for (size_t i = 0; i < scans.size(); ++i) scans[i].push_back(results[1 + carried + i]);
  }
  std::vector<Tensor> out(arguments.begin() + 2, arguments.begin() + 2 + static_cast<ptrdiff_t>(carried));
  for (size_t i = 0; i < scans.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(Tensor stacked, stack(scans[i], body->type(body->outputs[1 + carried + i]), memory));
    out.push_back(std::move(stacked));
  }
  return out;
}

}  // namespace

Result<std::vector<Tensor>> run_control(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
                                        const std::shared_ptr<MemoryPool>& memory, const CallFunction& call) {
  if (node.op->is(Role::kIf)) return run_if(graph, node, inputs, call);
  if (node.op->is(Role::kLoop)) return run_loop(graph, node, inputs, memory, call);
  if (node.op->is(Role::kCall)) {
    PERCALE_ASSIGN_OR_RETURN(const Function* callee, function_of(graph, node, "function"));
    return call(*callee, inputs);
  }
  return unimplemented(op_name(*node.op), " '", node.name, "' cannot be carried out by this version");
}

}  // namespace percale

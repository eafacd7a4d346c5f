#include "tests/fuzz/op_runner.h"

#include <algorithm>
#include <cstring>

#include "core/autodiff/gradients.h"
#include "core/graph/builder.h"

namespace percale {
namespace {

// Adds an input as a constant, as a feed of known type, or as one with unknown dims, at random.
Result<ValueId> add_value(FunctionBuilder& f, const Tensor& t, RunSpec& spec, std::vector<Tensor>& feeds,
                          Random& random) {
  if (random.one_in(3)) return f.add_constant(t);
  Shape declared = t.shape();
  if (random.one_in(3)) {
    for (size_t i = 0; i < declared.rank(); ++i) declared[i] = random.one_in(2) ? kUnknownDim : declared[i];
  }
  const std::string name = str_cat("in", static_cast<uint64_t>(feeds.size()));
  PERCALE_ASSIGN_OR_RETURN(const ValueId id, f.add_input(name, t.dtype(), declared));
  spec.feeds.push_back(name);
  feeds.push_back(t);
  return id;
}

}  // namespace

bool OpRunner::run(const Draft& draft, Random& random) {
  finding.clear();
  Builder builder(engine_->registry());
  FunctionBuilder& f = builder.main();
  RunSpec spec;
  std::vector<Tensor> feeds;
  std::vector<ValueId> ids, floats;
  for (const Tensor& t : draft.inputs) {
    if (!t.defined()) {
      ids.push_back(kNoValue);
      continue;
    }
    const auto id = add_value(f, t, spec, feeds, random);
    if (!id.ok()) return false;
    ids.push_back(*id);
    if (is_float(t.dtype())) floats.push_back(*id);
  }
  const auto node = f.add_node(*draft.schema, ids, draft.attributes, draft.outputs, "node");
  if (!node.ok()) return false;
  std::vector<ValueId> outputs, float_outputs;
  for (const ValueId id : f.function().node(*node).outputs) {
    if (id == kNoValue) continue;
    outputs.push_back(id);
    if (is_float(f.type(id).dtype)) float_outputs.push_back(id);
  }
  if (!floats.empty() && !float_outputs.empty() && random.one_in(3)) {
    const auto slopes = gradients(f, float_outputs, floats);
    if (slopes.ok()) outputs.insert(outputs.end(), slopes->begin(), slopes->end());
  }
  std::sort(outputs.begin(), outputs.end());
  outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
  for (const ValueId id : outputs) spec.fetches.push_back(f.function().value(id).name);
  if (!f.set_outputs(outputs).ok()) return false;
  const auto graph = builder.finish();
  if (!graph.ok()) return note(graph.status());
  if (!(*graph)->variables.empty() || !engine_) return false;
  const auto session = Session::create(engine_, *graph, nullptr);
  if (!session.ok()) return note(session.status());
  return run_twice(**session, spec, feeds);
}

// Runs with outputs filled with two different patterns. A byte that differs was not written.
bool OpRunner::run_twice(Session& session, const RunSpec& spec, const std::vector<Tensor>& feeds) {
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  const auto plan = session.prepare(spec, types);
  if (!plan.ok()) return note(plan.status());
  std::vector<Tensor> results[2];
  for (int round = 0; round < 2; ++round) {
    for (const ValueType& type : Session::fetch_types(**plan)) {
      Tensor room = type.dtype == DType::kInvalid ? Tensor() : exact_tensor(type.dtype, type.shape);
      if (room.defined()) std::memset(room.data(), round == 0 ? 0xA5 : 0x5A, static_cast<size_t>(room.bytes()));
      results[round].push_back(std::move(room));
    }
    RunOptions options;
    options.step = 3;
    const Status status = session.run(**plan, feeds, results[round], options);
    if (!status.ok()) return note(status);
  }
  for (size_t i = 0; i < results[0].size(); ++i) {
    const Tensor &a = results[0][i], &b = results[1][i];
    if (a.bytes() != b.bytes() || std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) != 0) {
      finding = str_cat("output '", spec.fetches[i], "' ", a.dtype(), " ", a.shape(), " was not written whole");
    }
  }
  return true;
}

// An INTERNAL error is a finding.
bool OpRunner::note(const Status& status) {
  if (status.code() == Code::kInternal) finding = status.to_string();
  return false;
}

}  // namespace percale

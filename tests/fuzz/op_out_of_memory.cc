// Plans and runs every row of the op tables while the k-th allocation fails, once or permanently.
// The status must be RESOURCE_EXHAUSTED, or the regular result if the memory was not needed.
// Nothing may leak, and no thread of the engine may end the process.
// Usage: op_out_of_memory [STRIDE]
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/ops/op_case.h"
#include "tests/support/engine.h"

extern "C" {
#include "tests/hosts/failing_malloc.h"
}

namespace percale {
namespace {

struct Node {
  std::shared_ptr<const Graph> graph;
  RunSpec spec;
  std::vector<Tensor> feeds;
};

// Returns a graph of that one node with its inputs fed. Fails if the row describes an error.
Result<Node> node_of(const std::shared_ptr<const Registry>& registry, const OpCase& row) {
  Node out;
  Builder builder(registry);
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> ids;
  for (const Tensor& t : row.inputs) {
    ids.push_back(kNoValue);
    if (!t.defined()) continue;
    const std::string name = str_cat("in", static_cast<uint64_t>(out.feeds.size()));
    PERCALE_ASSIGN_OR_RETURN(ids.back(), f.add_input(name, t.dtype(), t.shape()));
    out.spec.feeds.push_back(name);
    out.feeds.push_back(t);
  }
  PERCALE_ASSIGN_OR_RETURN(const NodeId node,
                           f.add_node(row.op, ids, row.attributes, std::max<size_t>(1, row.expected.size())));
  std::vector<ValueId> outputs;
  for (const ValueId id : f.function().node(node).outputs) {
    if (id == kNoValue) continue;
    outputs.push_back(id);
    out.spec.fetches.push_back(f.function().value(id).name);
  }
  PERCALE_RETURN_IF_ERROR(f.set_outputs(outputs));
  PERCALE_ASSIGN_OR_RETURN(out.graph, builder.finish());
  return out;
}

// Does what a host does, and handles bad_alloc as c_api does.
Code attempt(const std::shared_ptr<Engine>& engine, const Node& node) {
  try {
    const auto session = Session::create(engine, node.graph, nullptr);
    if (!session.ok()) return session.status().code();
    return (*session)->run(node.spec, node.feeds).status().code();
  } catch (const std::bad_alloc&) {
    return Code::kResourceExhausted;
  }
}

// A worker may hold a block a little longer.
bool settles_at(int64_t held) {
  for (int i = 0; i < 1000 && failing_malloc_held() != held; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return failing_malloc_held() == held;
}

int main_of(int64_t stride) {
  if (failing_malloc_works() == 0) {
    std::printf("the allocator cannot be replaced in this build; run it in a build without a sanitizer\n");
    return 77;
  }
  EngineOptions options;
  options.threads = 3;
  const auto engine = make_test_engine(options);
  const auto rows = load_op_cases(PERCALE_OP_TABLES);
  if (!engine.ok() || !rows.ok()) return 2;
  int64_t nodes = 0, failures = 0, spared = 0, wrong = 0;
  for (const OpCase& row : *rows) {
    const auto node = node_of((*engine)->registry(), row);
    if (!node.ok()) continue;
    const Code usual = attempt(*engine, *node);
    const int64_t held = failing_malloc_held();
    ++nodes;
    for (const int persistent : {0, 1}) {
      int64_t failed = 1;
      for (int64_t k = 1 + nodes % stride; failed > 0 && wrong < 20; k += stride) {
        failing_malloc_begin(k, persistent);
        const Code code = attempt(*engine, *node);
        failing_malloc_end(&failed);
        failures += failed > 0 ? 1 : 0;
        spared += failed > 0 && code == usual ? 1 : 0;
        if ((code == Code::kResourceExhausted || code == usual) && settles_at(held)) continue;
        ++wrong;
        std::fprintf(stderr, "%s %s, k = %lld, %s: %s, holds %+lld\n", row.where.c_str(), row.op.c_str(),
                     static_cast<long long>(k), persistent != 0 ? "persistent" : "once",
                     std::string(code_name(code)).c_str(), static_cast<long long>(failing_malloc_held() - held));
        break;
      }
    }
  }
  std::printf("%lld nodes, every %lldth allocation: %lld failures, %lld of them not needed, %lld wrong\n",
              static_cast<long long>(nodes), static_cast<long long>(stride), static_cast<long long>(failures),
              static_cast<long long>(spared), static_cast<long long>(wrong));
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace percale

int main(int argc, char** argv) { return percale::main_of(argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 1); }

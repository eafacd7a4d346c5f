// Splits: products and tables cut into parts on several devices give the losses of one device,
// except for the order of sums.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/text/json.h"
#include "core/train/rewrite/train_graph.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/train/devices/parallel_jobs.h"

namespace percale {
namespace {

constexpr double kClose = 1e-5;

std::string parallel(const std::string& inner) { return str_cat(R"(, "parallel": {)", inner, "}"); }

std::string message_of(const std::string& inner, const std::string& devices = "cpu=4",
                       const std::string& model = "mlp") {
  return std::string(try_curve(engine_of(1, devices), parallel_job(model), parallel(inner)).status().message());
}

std::map<int32_t, int64_t> planned(const Trainer& trainer) {
  const auto json = Json::parse(trainer.describe());
  REQUIRE(json.ok());
  const Json& bytes = *json->find("parallel")->find("planned_bytes");
  std::map<int32_t, int64_t> out;
  for (size_t i = 0; i < bytes.size(); ++i) out[static_cast<int32_t>(i)] = *bytes.item(i).as_int("bytes");
  return out;
}

int64_t largest(const std::map<int32_t, int64_t>& bytes) {
  int64_t most = 0;
  for (const auto& [device, n] : bytes) most = std::max(most, n);
  return most;
}

// Counts an op in the forward and backward pass of a job, by device index in the group.
size_t count_nodes(const std::string& model, const std::string& keys, std::string_view op) {
  auto spec = parse_spec(str_cat("{\"model\": ", parallel_job(model).layers,
                                 R"(, "loss": "sparse_categorical_crossentropy", "optimizer": "sgd")", keys, "}"));
  REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
  Shape x{-1};
  for (int64_t d : parallel_job(model).row) x.push_back(d);
  const auto built = build_model(*spec, make_test_ops()->registry, x, ValueType{DType::kI64, Shape{-1}});
  REQUIRE_MESSAGE(built.ok(), built.status().to_string());
  const auto graph = build_train_graph(*built, spec->trainer.optimizer, {}, false, spec->trainer.parallel);
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto& nodes = graph->graph->find_function(kComputeFunction)->nodes;
  return static_cast<size_t>(
      std::count_if(nodes.begin(), nodes.end(), [&](const Node& n) { return op_name(*n.op) == op; }));
}

}  // namespace

TEST_CASE("products cut by columns, by rows and in pairs give one device's losses, on the CPU and on sim devices") {
  for (const std::string model : {"mlp", "block"}) {
    const ParallelJob job = parallel_job(model);
    const Curve one = curve(engine_of(2), job, R"(, "shards": 2)");
    const std::vector<std::string> layers =
        model == "mlp" ? std::vector<std::string>{R"("dense*": "column")", R"("dense*": "row")",
                                                  R"("dense": "column", "dense_1": "row", "dense_2": "column")"}
                       : std::vector<std::string>{R"("embed": "column", "wide": "column", "narrow": "column")",
                                                  R"("embed": "row", "wide": "row", "head": "row")",
                                                  R"("attention/query": "column", "attention/key": "column",
                                                     "attention/value": "column", "attention/attention_output": "row",
                                                     "wide": "column", "narrow": "row")"};
    for (const int n : {2, 4}) {
      for (const std::string& rules : layers) {
        CAPTURE(model);
        CAPTURE(n);
        CAPTURE(rules);
        const std::string keys =
            str_cat(R"(, "shards": 2)",
                    parallel(str_cat(R"("replicas": 1, "splits": {"n": )", n, R"(, "layers": {)", rules, "}}")));
        const Curve cpu = curve(engine_of(2, "cpu=4"), job, keys);
        CHECK(deviation(cpu, one) < kClose);
        CHECK(curve(engine_of(1, "cpu=4x1"), job, keys).digest == cpu.digest);
        const Curve sim =
            curve(sim_engine(2, "cpu:0,sim:0,sim:1,sim:2,sim:3"), job, keys, {"sim:0", "sim:1", "sim:2", "sim:3"});
        CHECK(sim.digest == cpu.digest);
      }
      const std::string all = str_cat(R"(, "shards": 2)", parallel(str_cat(R"("replicas": 1, "splits": )", n)));
      CHECK(deviation(curve(engine_of(2, "cpu=4"), job, all), one) < kClose);
    }
  }
}

TEST_CASE("the slices of a split weight are made, and sent, once per step and not once per shard") {
  const ParallelJob job = parallel_job("mlp");
  const auto keys = [](int shards) {
    return parallel(str_cat(R"("replicas": 1, "splits": 2, "micro_batches": )", shards));
  };
  const auto slices = [&](int shards) {
    auto trainer = try_parallel_job(engine_of(2, "cpu=2"), job, keys(shards));
    REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
    Trace trace;
    (*trainer)->set_trace(&trace);
    REQUIRE_OK((*trainer)->fit(nullptr, 1, nullptr));
    const std::string text = trace.to_json();
    size_t count = 0;
    for (size_t at = text.find("\"Slice "); at != std::string::npos; at = text.find("\"Slice ", at + 1)) ++count;
    return count;
  };
  const size_t two = slices(2);
  CHECK(two > 0);
  CHECK(slices(8) == two);
  const auto sent = [&](int shards) {
    auto trainer = try_parallel_job(sim_engine(2, "cpu:0,sim:0,sim:1"), job, keys(shards), {"sim:0", "sim:1"});
    REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
    REQUIRE_OK((*trainer)->fit(nullptr, 1, nullptr));
    percale_sim_counts counts{};
    percale_sim_get_counts(sim_plugin(), 1, &counts);
    return static_cast<int64_t>(counts.bytes_from_host);
  };
  // In 5 steps: half of the 196,608 weights of each of the four large products once per step. Each
  // shard also sends activations.
  const int64_t weights = 5 * 4 * 196'608 / 2, few = sent(2), many = sent(8);
  CHECK(few > weights);
  CHECK(many < few + weights / 2);
}

TEST_CASE("between the two products of a pair nothing is joined") {
  const std::string pair = parallel(R"("splits": {"n": 2, "layers": {"wide": "column", "narrow": "row"}})");
  const std::string attention =
      parallel(R"("splits": {"n": 2, "layers": {"attention/attention_output": "row", "attention*": "column"}})");
  const size_t whole = count_nodes("block", "", "Concat");
  // The gradients of the parts are joined: those of four variables in the pair and of seven in
  // attention, whose output bias is whole.
  CHECK(count_nodes("block", pair, "Concat") == whole + 3);
  CHECK(count_nodes("block", attention, "Concat") == whole + 7);
  CHECK(count_nodes("block", attention, "Softmax") == count_nodes("block", "", "Softmax") + 1);
  // Two column products in a row: the value between them is joined, and its gradient is cut in the
  // backward pass.
  CHECK(count_nodes("block", parallel(R"("splits": {"n": 2, "layers": {"wide": "column", "narrow": "column"}})"),
                    "Concat") == whole + 4 + 2);
}

TEST_CASE("hybrid: 2 replicas x 2 stages x 2 splits on eight devices") {
  for (const std::string model : {"mlp", "block"}) {
    CAPTURE(model);
    const ParallelJob job = parallel_job(model);
    const Curve one = curve(engine_of(2), job, R"(, "shards": 4)");
    const std::string splits = model == "mlp" ? "2" : R"({"n": 2, "layers": {"attention/attention_output": "row",
                                                    "attention*": "column", "wide": "column", "narrow": "row"}})";
    const std::string keys = parallel(str_cat(R"("replicas": 2, "stages": 2, "micro_batches": 2, "splits": )", splits));
    const Curve cpu = curve(engine_of(2, "cpu=8"), job, keys);
    CHECK(deviation(cpu, one) < kClose);
    CHECK(curve(engine_of(1, "cpu=8x1"), job, keys).digest == cpu.digest);
    std::vector<std::string> devices;
    std::string list = "cpu:0";
    for (int i = 0; i < 8; ++i) list += "," + devices.emplace_back(str_cat("sim:", i));
    CHECK(curve(sim_engine(2, list), job, keys, devices).digest == cpu.digest);
    // One of the eight devices is lost: its replica is dropped, and the other computes everything.
    const auto engine = sim_engine(2, list);
    auto trainer = try_parallel_job(engine, job, keys, devices);
    REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
    percale_sim_faults faults{};
    faults.lose_at_launch = 200;
    percale_sim_set_faults(sim_plugin(), 6, &faults);
    REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
    CHECK((*trainer)->lost_devices() == std::vector<std::string>{"sim:6"});
    CHECK((*trainer)->variables()->digest() == cpu.digest);
  }
}

TEST_CASE("a cap that the parts keep and the whole model on one device does not") {
  for (const bool sim : {false, true}) {
    CAPTURE(sim);
    // Wide between the products of each pair, where the parts share the work; narrow elsewhere.
    const ParallelJob job{R"([{"layer": "Dense", "units": 512, "activation": "relu"}, {"layer": "Dense", "units": 32},
                              {"layer": "Dense", "units": 512, "activation": "tanh"}, {"layer": "Dense", "units": 32},
                              {"layer": "Dense", "units": 4}])",
                          {32},
                          1,
                          2048};
    const auto engine = [&](int devices) {
      std::string list = "cpu:0";
      for (int i = 0; i < devices; ++i) list += str_cat(sim ? ",sim:" : ",cpu:", sim ? i : i + 1);
      return sim ? sim_engine(2, list) : engine_of(2, list);
    };
    const auto own = [&](int devices) {
      std::vector<std::string> out;
      for (int i = 0; i < devices; ++i) out.push_back(str_cat(sim ? "sim:" : "cpu:", sim ? i : i + 1));
      return out;
    };
    auto one = try_parallel_job(engine(1), job, R"(, "shards": 8)", own(1));
    REQUIRE(one.ok());
    REQUIRE_OK((*one)->fit(nullptr, 1, nullptr));
    const int64_t whole = largest(planned(**one));
    struct Case {
      const char* inner;
      int devices;
      int64_t percent;  // of the memory that the whole would need
    };
    for (const Case& c : {Case{R"("replicas": 1, "micro_batches": 8, "splits": 2)", 2, 75},
                          Case{R"("replicas": 1, "micro_batches": 8, "splits": 4)", 4, 60},
                          Case{R"("replicas": 2, "stages": 2, "micro_batches": 4, "splits": 2)", 8, 85}}) {
      CAPTURE(c.inner);
      const int64_t cap = whole * c.percent / 100;
      const std::string keys = parallel(str_cat(R"("device_memory": )", cap, ", ", c.inner));
      auto trainer = try_parallel_job(engine(c.devices), job, keys, own(c.devices));
      REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
      REQUIRE_OK((*trainer)->fit(nullptr, 1, nullptr));
      CHECK(largest(planned(**trainer)) <= cap);
      CHECK(planned(**trainer).size() == static_cast<size_t>(c.devices));
      const std::string alone = parallel(str_cat(R"("device_memory": )", cap, R"(, "micro_batches": 8)"));
      const Status status = try_curve(engine(1), job, alone, own(1)).status();
      CHECK(status.code() == Code::kResourceExhausted);
    }
  }
}

TEST_CASE("tables are cut by columns or by rows; an index that no row has is an error as ever") {
  const std::string layers = R"([{"layer": "Embedding", "input_dim": 12, "output_dim": 8},
                                 {"layer": "Activation", "activation": "tanh"}, {"layer": "Flatten"},
                                 {"layer": "Dense", "units": 4}])";
  const auto table = [](int n, const char* form) {
    return parallel(str_cat(R"("replicas": 1, "splits": {"n": )", n, R"(, "layers": {"embedding": ")", form, "\"}}"));
  };
  // Negative row numbers count from the end.
  const ParallelJob job{layers, {5}, 12, 16, true}, wrong{layers, {5}, 14, 16, true};
  const Curve one = curve(engine_of(1), job, R"(, "shards": 1)");
  CHECK(try_curve(engine_of(1), wrong, R"(, "shards": 1)").status().code() == Code::kOutOfRange);
  for (const int n : {2, 4}) {
    for (const char* form : {"column", "row"}) {
      CAPTURE(n);
      CAPTURE(form);
      const Curve cut = curve(engine_of(2, "cpu=4"), job, table(n, form));
      CHECK(cut.digest == one.digest);  // in each sum all parts but one are 0
      CHECK(try_curve(engine_of(2, "cpu=4"), wrong, table(n, form)).status().code() == Code::kOutOfRange);
    }
  }
}

TEST_CASE("splits that cannot be are errors that say what was found and what was wanted") {
  const auto has = [](const std::string& message, const std::string& part) {
    CAPTURE(message);
    CHECK(message.find(part) != std::string::npos);
  };
  has(message_of(R"("splits": {"n": 3, "layers": {"dense": "column"}})"),
      "'dense/kernel' [128,256] cannot be cut into 3 columns of equal size");
  has(message_of(R"("splits": {"n": 2, "layers": {"dens": "column"}})"),
      "no layer matches 'dens', did you mean 'dense'?");
  has(message_of(R"("splits": {"n": 2, "layers": {"dense": "diagonal"}})"), "wanted column or row");
  has(message_of(R"("splits": {"layers": {}})"), "'n' is missing");
  has(message_of(R"("splits": {"n": 2, "layer": {}})"), "did you mean 'layers'?");
  has(message_of(R"("splits": 3)"),
      "no product or table with at least 16384 weights has columns or rows that it divides");
  has(message_of(R"("splits": {"n": 2, "layers": {"norm": "column"}})", "cpu=2", "block"),
      "'norm' contains no product");
  has(message_of(R"("splits": 8)"), "1 replicas x 1 stages x 8 splits require 8 devices, but there are 4");
}

}  // namespace percale

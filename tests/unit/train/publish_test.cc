// Versions: a trainer publishes while sessions serve.
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "optimizer": "adam", "seed": 4, "epochs": 6,
       "shards": 2)";

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model,
                             const std::string& publish) {
  return make_job(engine, model, str_cat(kKeys, ", \"publish\": \"", publish, "\""), DType::kF32,
                  {.batch_size = 16, .shuffle_seed = 4}, 100);  // 7 steps an epoch
}

struct Serving {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<Session> session;
  RunSpec run;
  std::vector<Tensor> feeds;
};

Serving serve(const Trainer& trainer, const Shape& rows) {
  const auto model = trainer.inference_model();
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  auto session = Session::create(trainer.engine(), *model, trainer.variables());
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  RunSpec run;
  run.feeds = {"x"};
  run.fetches = {(*model)->main().value((*model)->main().outputs[0]).name};
  return {*model, *session, run, {formula(DType::kF32, rows, 3)}};
}

std::string bytes_of(const Tensor& t) { return {static_cast<const char*>(t.data()), static_cast<size_t>(t.bytes())}; }

}  // namespace

TEST_CASE("each result of sessions that serve while a trainer trains is the forward pass of one published version") {
  for (const std::string model : {"cnn", "normalised"}) {
    CAPTURE(model);
    const auto engine = engine_of(2);
    const auto trainer = job(engine, model, "step");
    const Serving served = serve(*trainer, model == "cnn" ? Shape{3, 6, 10, 2} : Shape{3, 5});
    std::vector<std::shared_ptr<const VariablesVersion>> versions = {trainer->variables()->current()};
    std::atomic<bool> over{false};
    constexpr size_t kReaders = 3;
    std::vector<std::string> results[kReaders];
    std::vector<std::thread> readers;
    std::atomic<int> failures{0};
    for (auto& own : results) {
      readers.emplace_back([&] {
        do {
          const auto out = served.session->run(served.run, served.feeds);
          if (!out.ok()) {
            ++failures;
            return;
          }
          if (own.empty() || own.back() != bytes_of((*out)[0])) own.push_back(bytes_of((*out)[0]));
        } while (!over);
      });
    }
    const Status status = trainer->fit(nullptr, 0, [&](const Progress&) {
      versions.push_back(trainer->variables()->current());
      return true;
    });
    over = true;
    for (std::thread& t : readers) t.join();
    REQUIRE_OK(status);
    CHECK(failures == 0);
    REQUIRE(versions.size() == 43);
    // The outputs of each version, computed by a session whose variables do not change.
    std::vector<std::string> wanted;
    for (size_t i = 0; i < versions.size(); ++i) {
      CHECK(versions[i]->number == versions[0]->number + static_cast<int64_t>(i));
      const auto table = Variables::create(trainer->variables()->variables(), versions[i]->values);
      REQUIRE(table.ok());
      const auto alone = Session::create(engine_of(1), served.graph, *table);
      REQUIRE(alone.ok());
      const auto out = (*alone)->run(served.run, served.feeds);
      REQUIRE(out.ok());
      wanted.push_back(bytes_of((*out)[0]));
    }
    for (const auto& own : results) {
      size_t version = 0;  // a reader never sees an older version after a newer one
      for (const std::string& result : own) {
        while (version < wanted.size() && wanted[version] != result) ++version;
        CHECK(version < wanted.size());
      }
    }
  }
}

TEST_CASE("the option says when versions are published, and training gives the same bits all the same") {
  const auto engine = engine_of(1);
  std::string digest;
  for (const auto& [publish, wanted] : {std::pair{"auto", 6}, {"epoch", 6}, {"step", 42}, {"5", 9}, {"hand", 0}}) {
    CAPTURE(publish);
    const auto trainer = job(engine, "mlp", publish);
    const int64_t before = trainer->variables()->current()->number;
    const std::string first = trainer->variables()->digest();
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(trainer->variables()->current()->number == before + wanted);
    if (wanted == 0) {
      CHECK(trainer->variables()->digest() == first);
      REQUIRE_OK(trainer->publish());
      CHECK(trainer->variables()->current()->number == before + 1);
    }
    if (digest.empty()) digest = trainer->variables()->digest();
    CHECK(trainer->variables()->digest() == digest);
  }
  CHECK(parse_publishing("soon").status().code() == Code::kInvalidArgument);
  CHECK_FALSE(parse_publishing("0").ok());
}

TEST_CASE("what somebody assigns while nothing is published is taken up, and what was trained stays") {
  const auto trainer = make_job(engine_of(1), "linear",
                                R"(, "loss": "mean_squared_error", "optimizer": "sgd", "publish": "hand", "epochs": 3)",
                                DType::kF32, {.batch_size = 4}, 12);
  REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
  const auto kernel = trainer->variables()->find("dense/kernel"), bias = trainer->variables()->find("dense/bias");
  const Tensor first = trainer->variables()->current()->values[static_cast<size_t>(kernel)];
  REQUIRE_OK(trainer->variables()->publish({{bias, formula(DType::kF32, Shape{3}, 0, 0)}}).status());
  REQUIRE(trainer->evaluate(nullptr).ok());  // adopts the published values
  REQUIRE_OK(trainer->publish());
  const auto now = trainer->variables()->current();
  CHECK(now->values[static_cast<size_t>(bias)].span<float>()[1] == 0);
  CHECK(std::memcmp(now->values[static_cast<size_t>(kernel)].data(), first.data(),
                    static_cast<size_t>(first.bytes())) != 0);
}

}  // namespace percale

// Row-sparse gradients: row_sparse_reference.py writes row_sparse.inc.
#include <cstring>

#include "tests/unit/temp_folder.h"
#include "tests/unit/train/method/row_sparse_jobs.h"

namespace percale {
namespace {

struct Reference {
  const char *name, *layers, *optimizer;
  std::vector<double> losses;
  double last;
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> kReferences = {
#include "tests/unit/train/method/row_sparse.inc"
  };
  return kReferences;
}

}  // namespace

TEST_CASE("tables train by rows as in PyTorch with sparse gradients, whole, in shards and with accumulation") {
  REQUIRE(references().size() == 9);
  for (const Reference& want : references()) {
    for (const char* how : {R"("shards": 1)", R"("shards": 3)", R"("shards": 2, "accumulation": 2)"}) {
      CAPTURE(want.name);
      CAPTURE(how);
      const bool halves = std::strstr(how, "accumulation") != nullptr;
      const auto trainer = job(engine_of(2), want.layers, str_cat("\"optimizer\": ", want.optimizer, ", ", how),
                               DType::kF64, halves ? 4 : 8);
      REQUIRE_OK(trainer->fit(nullptr, 4, nullptr));
      const auto& rows = trainer->history().rows;
      REQUIRE(rows.size() == want.losses.size());
      REQUIRE(rows.size() == 20);
      double worst = 0;
      for (size_t i = 0; i < rows.size(); ++i) worst = std::max(worst, std::fabs(rows[i].loss - want.losses[i]));
      CHECK(worst < 1e-9);
      const auto last = trainer->evaluate(nullptr);
      REQUIRE_MESSAGE(last.ok(), last.status().to_string());
      CHECK(std::fabs(last->at(0).second - want.last) < 1e-9);
    }
  }
}

TEST_CASE("weights that trained by rows are the same bits on any devices and any number of threads") {
  for (const char* layers : {kLookup, kBag}) {
    for (const char* optimizer :
         {R"({"name": "adagrad", "sparse": true})", R"({"name": "adam", "sparse": true, "global_clipnorm": 0.1})"}) {
      for (const char* how : {R"("shards": 8)", R"("shards": 5, "accumulation": 3)"}) {
        CAPTURE(layers);
        CAPTURE(optimizer);
        CAPTURE(how);
        std::string digest;
        for (const char* devices : {"cpu:0", "cpu=2", "cpu=4x1"}) {
          for (int32_t threads : {1, 2, 4}) {
            const auto trainer = job(engine_of(threads, devices), layers,
                                     str_cat("\"optimizer\": ", optimizer, ", \"epochs\": 3, ", how), DType::kF32, 9);
            REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
            if (digest.empty()) digest = trainer->variables()->digest();
            CAPTURE(devices);
            CAPTURE(threads);
            CHECK(trainer->variables()->digest() == digest);
          }
        }
      }
    }
  }
}

TEST_CASE(
    "SGD and Adagrad by rows give the bits of dense gradients, or close where shards are added in another order") {
  for (const char* layers : {kLookup, kBag, kGreatest}) {
    for (const char* name : {"sgd", "adagrad"}) {
      for (const char* more : {"", R"(, "clipvalue": 0.02)", R"(, "global_clipnorm": 0.1)", R"(, "clipnorm": 0.05)"}) {
        for (int64_t shards : {1, 3}) {
          CAPTURE(layers);
          CAPTURE(name);
          CAPTURE(more);
          CAPTURE(shards);
          const auto trained = [&](const char* sparse) {
            auto trainer = job(engine_of(2), layers,
                               str_cat(R"("epochs": 4, "optimizer": {"learning_rate": 0.1, "name": ")", name,
                                       R"(", "sparse": )", sparse, more, "}, \"shards\": ", shards));
            REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
            return trainer;
          };
          const auto rows = trained("true"), dense = trained("false");
          // Sums of squares are in another order
          const bool norms = std::strstr(more, "norm") != nullptr;
          if (shards == 1 && !norms) CHECK(rows->variables()->digest() == dense->variables()->digest());
          CHECK(distance(*rows->variables(), *dense->variables()) < 1e-5);
        }
      }
    }
  }
}

TEST_CASE(
    "tables train by rows in every mode: bounded:0 is sync, async on one device is sync with a shard's rows, backup "
    "the first") {
  for (const char* layers : {kLookup, kBag}) {
    for (const char* optimizer : {R"({"name": "adagrad", "sparse": true})", R"({"name": "adam", "sparse": true})"}) {
      CAPTURE(layers);
      CAPTURE(optimizer);
      const auto trained = [&](const char* devices, int32_t threads, const std::string& how, int64_t batch) {
        auto trainer = job(engine_of(threads, devices), layers, str_cat("\"optimizer\": ", optimizer, ", ", how),
                           DType::kF32, batch);
        REQUIRE_OK(trainer->fit(nullptr, 3, nullptr));
        return trainer;
      };
      const auto sync = trained("cpu:0", 1, R"("shards": 4)", 8);
      for (const char* devices : {"cpu:0", "cpu=3"}) {
        const auto bounded = trained(devices, 3, R"("shards": 4, "mode": "bounded:0")", 8);
        CHECK(bounded->variables()->digest() == sync->variables()->digest());
      }
      const auto small = trained("cpu:0", 1, R"("shards": 1)", 2);
      const auto async = trained("cpu:0", 1, R"("shards": 4, "mode": "async")", 8);
      CHECK(async->steps() == small->steps());
      CHECK(distance(*async->variables(), *small->variables()) == 0);
      for (const char* mode : {R"("shards": 4, "mode": "bounded:2")", R"("shards": 4, "mode": "async")"}) {
        const auto stale = trained("cpu=3", 3, mode, 8);
        // Single steps see few rows, so the first epoch is compared with the last
        const auto& rows = stale->history().rows;
        double first = 0, last = 0;
        for (size_t i = 0; i < rows.size() / 3; ++i) first += rows[i].loss, last += rows[rows.size() - 1 - i].loss;
        CHECK(last < first);
        CHECK(distance(*stale->variables(), *sync->variables()) < 1);
      }
      // Rows looked up by shards that are left out change nothing.
      const auto backup =
          job(engine_of(1), layers, str_cat("\"optimizer\": ", optimizer, R"(, "shards": 4, "mode": "backup:2")"));
      const auto half = job(engine_of(1), layers, str_cat("\"optimizer\": ", optimizer, R"(, "shards": 2)"));
      for (int64_t i = 0; i < 3; ++i) {
        auto batch = half->train_data()->batch({0, i});
        REQUIRE_OK(batch.status());
        REQUIRE_OK(backup->step({"x", "y"}, *batch).status());
        for (Tensor& t : *batch) {
          Shape shape = t.shape();
          shape[0] /= 2;
          auto part = Tensor::allocate(std::make_shared<MemoryPool>(), t.dtype(), shape);
          REQUIRE_OK(part.status());
          std::memcpy(part->data(), t.data(), static_cast<size_t>(part->bytes()));
          t = *part;
        }
        REQUIRE_OK(half->step({"x", "y"}, *batch).status());
      }
      CHECK(distance(*backup->variables(), *half->variables()) == 0);
    }
  }
}

TEST_CASE("a batch that fails leaves no rows behind, and a checkpoint goes on with the same bits") {
  const std::string keys =
      R"("optimizer": {"name": "adam", "sparse": true}, "shards": 3, "accumulation": 2, "publish": "hand")";
  const auto engine = engine_of(2);
  const std::vector<std::string> names = {"x", "y"};
  const std::vector<Tensor> good = {looked_up(), labels()}, bad = {looked_up(kTable), labels()};
  std::string digest;
  for (bool disturbed : {false, true}) {
    const TempFolder folder;
    auto trainer = job(engine, kLookup, keys);
    for (int i = 0; i < 6; ++i) {
      if (disturbed) {
        const auto failed = trainer->step(names, bad);
        REQUIRE_FALSE(failed.ok());
        CHECK(failed.status().message().find("index 13 is out of range") != std::string::npos);
      }
      REQUIRE_OK(trainer->step(names, good).status());
      if (disturbed && i == 3) {
        REQUIRE_OK(trainer->save(folder.path()));
        trainer = job(engine, kLookup, keys);
        REQUIRE_OK(trainer->restore(folder.path()));
      }
    }
    REQUIRE_OK(trainer->publish());
    if (digest.empty()) digest = trainer->variables()->digest();
    CHECK(trainer->variables()->digest() == digest);
  }
}

TEST_CASE("tables that train by rows lie where other parameters do") {
  for (const std::string optimizer : {R"("optimizer": {"name": "adam", "sparse": true}, "clip": 0.1)",
                                      R"("optimizer": {"name": "sgd", "learning_rate": 0.5, "sparse": true})"}) {
    const std::string keys = str_cat(optimizer, R"(, "shards": 2, "epochs": 2, "seed": 1)");
    const auto alone = job(engine_of(1), kLookup, keys);
    REQUIRE_OK(alone->fit(nullptr, 0, nullptr));
    for (const std::string where : {R"("ps")", R"("mirrored")", R"({"ps": "cpu:0,cpu:1", "min_shard_bytes": 16})"}) {
      CAPTURE(where);
      const auto trainer = job(engine_of(2, "cpu:0,cpu:1"), kLookup, str_cat(keys, R"(, "parameters": )", where));
      REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
      CHECK(trainer->variables()->digest() == alone->variables()->digest());
    }
  }
}

}  // namespace percale

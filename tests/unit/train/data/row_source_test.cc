// Data sets whose rows are not in memory: by formula, and from other sets.
#include "core/train/data/row_source.h"

#include <array>
#include <cstring>

#include "core/file/file.h"
#include "core/train/data/data_columns.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

const std::shared_ptr<MemoryPool>& pool() {
  static const auto kPool = std::make_shared<MemoryPool>();
  return kPool;
}

std::shared_ptr<Dataset> set_of(Result<std::shared_ptr<const RowSource>> rows) {
  REQUIRE_MESSAGE(rows.ok(), rows.status().to_string());
  auto set = Dataset::from_rows(*rows, pool());
  REQUIRE_MESSAGE(set.ok(), set.status().to_string());
  return *set;
}

std::shared_ptr<Dataset> range(const char* name, int64_t start, int64_t stop, int64_t step) {
  return set_of(range_rows(name, start, stop, step));
}

// Returns a column over a whole epoch.
std::vector<int64_t> epoch_of(Dataset& set, size_t column, int64_t epoch) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < set.batches(); ++i) {
    const auto batch = set.batch({epoch, i});
    REQUIRE_MESSAGE(batch.ok(), batch.status().to_string());
    const auto values = (*batch)[column].span<int64_t>();
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

using Numbers = std::vector<int64_t>;

}  // namespace

TEST_CASE("a range is what Python's range is") {
  CHECK(epoch_of(*range("n", 0, 5, 1), 0, 0) == Numbers{0, 1, 2, 3, 4});
  CHECK(epoch_of(*range("n", 3, 11, 4), 0, 0) == Numbers{3, 7});
  CHECK(epoch_of(*range("n", 2, -5, -3), 0, 0) == Numbers{2, -1, -4});
  CHECK(range("n", INT64_MIN, INT64_MAX, INT64_MAX)->rows() == 3);
  for (const auto& [start, stop, step] :
       {std::array<int64_t, 3>{0, 5, 0}, {5, 5, 1}, {0, 5, -1}, {INT64_MIN, INT64_MAX, 1}}) {
    CHECK(range_rows("n", start, stop, step).status().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("sets side by side, behind each other and over again have the rows that lists would have") {
  const auto a = range("a", 0, 4, 1), b = range("b", 10, 14, 1);
  const auto zipped = set_of(zipped_rows({a, b}));
  REQUIRE_OK(zipped->configure({.batch_size = 3}));
  CHECK(epoch_of(*zipped, 1, 0) == Numbers{10, 11, 12, 13});
  const auto joined = set_of(joined_rows({a, range("a", 100, 103, 1), range("a", 7, 8, 1)}));
  REQUIRE_OK(joined->configure({.batch_size = 3}));
  CHECK(epoch_of(*joined, 0, 0) == Numbers{0, 1, 2, 3, 100, 101, 102, 7});
  REQUIRE_OK(joined->configure({.batch_size = 3, .shuffle_seed = 5}));
  Numbers wanted;
  for (int64_t row : shuffled_rows(8, 5, 2))
    wanted.push_back((Numbers{0, 1, 2, 3, 100, 101, 102, 7})[static_cast<size_t>(row)]);
  CHECK(epoch_of(*joined, 0, 2) == wanted);
  CHECK(epoch_of(*set_of(repeated_rows(a, 2)), 0, 0) == Numbers{0, 1, 2, 3, 0, 1, 2, 3});

  CHECK(zipped_rows({a, range("b", 0, 5, 1)}).status().code() == Code::kInvalidArgument);
  CHECK(joined_rows({a, b}).status().code() == Code::kInvalidArgument);
  CHECK(repeated_rows(a, 0).status().code() == Code::kInvalidArgument);
  const auto twice = zipped_rows({a, a});
  REQUIRE(twice.ok());
  CHECK(Dataset::from_rows(*twice, pool()).status().code() == Code::kInvalidArgument);
}

TEST_CASE("a function makes rows, and one that fails ends the batch") {
  const auto rows =
      generated_rows({{"x", DType::kF32, {2}}, {"y", DType::kI64, {}}}, 9, [](int64_t row, void* const* columns) {
        auto* x = static_cast<float*>(columns[0]);
        x[1] = static_cast<float>(row) / 2;
        *static_cast<int64_t*>(columns[1]) = row * row;
        return row != 8;
      });
  const auto set = set_of(rows);
  CHECK(set->on_callers_thread());
  REQUIRE_OK(set->configure({.batch_size = 4}));
  const auto batch = set->batch({0, 1});
  REQUIRE_MESSAGE(batch.ok(), batch.status().to_string());
  CHECK((*batch)[0].span<float>()[0] == 0);
  CHECK((*batch)[0].span<float>()[3] == 2.5F);
  CHECK((*batch)[1].span<int64_t>()[3] == 49);
  CHECK(set->batch({0, 2}).status().message() == "data set: the callback did not return row 8");
}

TEST_CASE("a graph maps columns, whatever the batch") {
  const auto engine = engine_of(2);
  Builder b(engine->registry());
  Emitter e(b.main());
  const ValueId n = *b.main().add_input("n", DType::kI64, Shape{kUnknownDim});
  const ValueId square = e.emit("Mul", {n, n}, {}, "square");
  const ValueId copy = e.emit("Identity", {n}, {}, "kept");
  REQUIRE_OK(e.status());
  REQUIRE_OK(b.main().set_outputs({square, copy}));
  const auto graph = *b.finish();
  const auto set = set_of(mapped_rows(range("n", 0, 7, 1), engine, graph));
  REQUIRE_OK(set->configure({.batch_size = 4}));
  CHECK(set->columns()[0].name == "square");
  CHECK(epoch_of(*set, 0, 0) == Numbers{0, 1, 4, 9, 16, 25, 36});
  CHECK(epoch_of(*set, 1, 0) == Numbers{0, 1, 2, 3, 4, 5, 6});
  CHECK(mapped_rows(range("m", 0, 7, 1), engine, graph).status().code() == Code::kNotFound);
}

TEST_CASE(
    "a training on joined files, zipped columns or generated rows has the bits of one on tensors, also when it is "
    "taken up") {
  const auto engine = engine_of(2);
  const auto job = [&] {
    return make_job(engine, "mlp",
                    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "optimizer": "adam",
                    "seed": 4, "epochs": 2, "shards": 2)",
                    DType::kF32, {.batch_size = 8, .shuffle_seed = 3}, 30);
  };
  const auto plain = job();
  REQUIRE_OK(plain->fit(nullptr, 0, nullptr));
  const Tensor x = formula(DType::kF32, Shape{30, 5}, 9);
  const auto labels = class_numbers(30, 3);
  const auto part = [&](int64_t begin, int64_t end) {
    const Tensor rows = *Tensor::view(x.buffer(), 0, DType::kF32, x.shape());
    const std::vector<float> values(rows.span<float>().begin() + begin * 5, rows.span<float>().begin() + end * 5);
    const std::vector<int64_t> own(labels.begin() + begin, labels.begin() + end);
    return *Dataset::create({{"x", Tensor::of(Shape{end - begin, 5}, std::span<const float>(values)), DType::kF32, 1},
                             {"y", Tensor::vector(std::span<const int64_t>(own)), DType::kI64, 1}},
                            pool());
  };
  const auto generated = set_of(generated_rows({{"x", DType::kF32, {5}}}, 30, [&](int64_t row, void* const* columns) {
    std::memcpy(columns[0], x.span<float>().data() + row * 5, 5 * sizeof(float));
    return true;
  }));
  const auto numbers =
      *Dataset::create({{"y", Tensor::vector(std::span<const int64_t>(labels)), DType::kI64, 1}}, pool());
  for (const auto& set :
       {set_of(joined_rows({part(0, 11), part(11, 12), part(12, 30)})), set_of(zipped_rows({numbers, generated}))}) {
    REQUIRE_OK(set->configure({.batch_size = 8, .shuffle_seed = 3}));
    const TempFolder folder;
    const auto first = job(), second = job();
    REQUIRE_OK(first->fit(set, 0, [&](const Progress& p) {
      if (p.step == 5) REQUIRE_OK(first->save(folder.path()));
      return true;
    }));
    CHECK(first->variables()->digest() == plain->variables()->digest());
    REQUIRE_OK(second->restore(folder.path()));
    REQUIRE_OK(second->fit(set, 0, nullptr));
    CHECK(second->variables()->digest() == plain->variables()->digest());
  }
}

}  // namespace percale

#include <cstdio>
#include <fstream>
#include <percale.hpp>

using namespace percale;

// --8<-- [start:stream]
// Rows from the lines of a file, from its start in each epoch.
static Dataset lines(const Engine& engine, const char* path) {
  auto read = [file = std::ifstream(path), next = int64_t(0)](
                  int64_t, int64_t first_row, int64_t max_rows,
                  std::span<void* const> memory) mutable -> Result<int64_t> {
    if (first_row == 0) file.clear(), file.seekg(0), next = 0;
    if (first_row != next) return Status(Code::kUnimplemented, "the file is read from its start");
    float *x = static_cast<float*>(memory[0]), *y = static_cast<float*>(memory[1]);
    int64_t rows = 0;
    while (rows < max_rows && file >> x[rows] >> y[rows]) ++rows;
    next += rows;
    return rows;  // 0 ends the epoch
  };
  const std::vector<FeedType> columns = {{"x", DType::kF32, {1}}, {"y", DType::kF32, {1}}};
  Dataset data = Dataset::stream(engine, columns, std::move(read)).value();
  data.batch(32).value();
  return data;
}
// --8<-- [end:stream]

int main() try {
  std::ofstream file("points.txt");
  for (int i = 0; i < 1000; ++i) file << i / 1000.0 << ' ' << 2 * (i / 1000.0) - 1 << '\n';
  file.close();
  const Engine engine = Engine::create().value();
  const Sequential model = {layers::Dense(1, {{"input_shape", {1}}})};
  Trainer trainer =
      model.compile(engine, {.optimizer = {{"name", "adam"}, {"learning_rate", 0.05}}, .loss = "mse"}).value();
  const Dataset data = lines(engine, "points.txt");
  trainer.fit(data, 20).value();
  std::printf("it learns: %d\n", trainer.evaluate(data).value()["loss"] < 0.001);
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

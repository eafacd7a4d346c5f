// Takes a model that classifies digits, keeps its body, and trains a new head that tells whether a
// digit is odd.
//   fine_tune MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS
// MODEL was written by mnist; the files are MNIST's. The body is frozen: its variables have the
// same bits after the training.
#include <algorithm>
#include <cstdio>
#include <percale.hpp>
#include <percale/ops.hpp>

using namespace percale;

// Returns images with the label 0 or 1 instead of the digit. Rows pass through a small graph whose
// inputs are the columns of the files and whose outputs are the columns of the new set.
static Dataset parity(const Engine& engine, const char* images, const char* labels) {
  const std::pair<std::string, std::string> files[] = {{"pixels", images}, {"digit", labels}};
  Dataset digits = Dataset::from_files(engine, files, 1.0 / 255).value();
  Builder b = Builder::create(engine).value();
  std::vector<Value> columns;
  for (FeedType& column : digits.column_types().value()) {
    column.dims.insert(column.dims.begin(), -1);  // the number of rows is unknown
    columns.push_back(b.input(column.name, column.dtype, column.dims));
  }
  const Tensor shape = Tensor::adopt(std::vector<int64_t>{-1, 28, 28, 1}, {4}).value();
  const Tensor two = Tensor::adopt(std::vector<int64_t>{2}, {1}).value();
  const Value x = ops::Reshape(b, columns[0], b.constant(shape), {}, "x");
  const Value number = ops::Cast(b, columns[1], {.to = static_cast<int64_t>(DType::kI64)});
  const Value y = ops::Mod(b, number, b.constant(two), {}, "y");
  b.set_outputs({x, y});
  return digits.map(b.finish().value()).value();
}

// Returns a variable of the frozen part.
static std::vector<float> body(Trainer& trainer) {
  const Tensor kernel = trainer.variables().value().value("dense/kernel").value();
  const auto values = kernel.as<float>().value();
  return {values.begin(), values.end()};
}

int main(int argc, char** argv) try {
  if (argc != 6) return std::fputs("usage: fine_tune MODEL IMAGES LABELS TEST_IMAGES TEST_LABELS\n", stderr), 2;
  const Engine engine = Engine::create().value();
  Dataset data = parity(engine, argv[2], argv[3]);
  data.batch(64, 1).value();
  Dataset test = parity(engine, argv[4], argv[5]);
  test.batch(256).value();

  // --8<-- [start:tune]
  // The new head takes the model's value "dense". Only the head is trained.
  std::string spec = R"({"outputs": ["dense"], "freeze": ["conv2d*", "dense/*"],
                         "head": [{"layer": "Dense", "name": "parity", "units": 2}],
                         "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
                         "optimizer": "adam", "model": )";
  spec += quoted(argv[1]) + "}";
  Trainer trainer = Trainer::from_spec(engine, spec).value();
  // --8<-- [end:tune]
  const std::vector<float> before = body(trainer);
  trainer
      .fit(data, 1,
           [](const Progress& p) {
             if (p.step % 100 == 0) std::printf("step %4d  loss %.4f\n", static_cast<int>(p.step), p.loss);
             return true;
           })
      .value();
  std::puts(body(trainer) == before ? "the body kept its bits" : "the body has changed");
  const Metrics metrics = trainer.evaluate(test).value();
  std::printf("even or odd: loss %.4f, accuracy %.4f\n", metrics["loss"], metrics["accuracy"]);
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

#include <cstdio>
#include <fstream>
#include <iterator>
#include <percale.hpp>

using namespace percale;

int main() try {
  std::ifstream file("digits.json");
  const std::string spec{std::istreambuf_iterator<char>(file), {}};

  const Engine engine = Engine::create().value();
  Trainer trainer = Trainer::from_spec(engine, spec).value();
  trainer
      .fit(Dataset(), 0,  // the data and the epochs of the job
           [](const Progress& p) {
             if (p.epoch_ended) {
               std::printf("epoch %d/%d  loss %.4f\n", int(p.epoch), int(p.epochs), p.epoch_loss);
             }
             return true;  // false ends the training after this step
           })
      .value();
  const Metrics metrics = trainer.evaluate().value();
  std::printf("test loss %.4f, accuracy %.4f\n", metrics["loss"], metrics["accuracy"]);

  trainer.model().value().save("digits.percale", trainer.variables().value()).value();
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

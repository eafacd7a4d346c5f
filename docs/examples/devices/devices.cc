#include <cstdio>
#include <fstream>
#include <iterator>
#include <percale.hpp>

using namespace percale;

// --8<-- [start:devices]
// Trains a job on some devices and returns the digest of its weights.
static std::string train(const std::string& spec, const char* devices) {
  // "cpu=2x1": two devices with a thread each
  const Engine engine = Engine::create(Options("engine").set("devices", devices)).value();
  // Each batch is cut into four parts.
  Trainer trainer = Trainer::from_spec(engine, spec, {}, Options("trainer").set("shards", 4)).value();
  trainer.fit(1).value();
  return trainer.variables().value().digest().value();
}
// --8<-- [end:devices]

int main() try {
  std::ifstream file("digits.json");
  const std::string spec{std::istreambuf_iterator<char>(file), {}};
  std::printf("the same bits: %d\n", train(spec, "cpu:0") == train(spec, "cpu=2x1"));
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

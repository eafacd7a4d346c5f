// Trains a SPEC on two devices of one process, with a progress bar.
//   mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]
// The data is looked up in PERCALE_DATA, in the cache, and next to the SPEC. The weights do not
// depend on the number of devices. FILE gets a line per step: its number and the 64 bits of its
// loss.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <percale.hpp>
#include <sstream>
#include <string_view>

using namespace percale;

// Draws a progress line that is overwritten until the epoch ends.
static bool draw(const Progress& p) {
  if (p.step_in_epoch % 20 != 0 && !p.epoch_ended) return true;
  const auto done = static_cast<int>(30 * p.step_in_epoch / std::max<int64_t>(p.steps_in_epoch, 1));
  std::fprintf(stderr, "\repoch %d/%d [%-30.*s] loss %.4f  %.0f rows/s  %.0f s left  ", static_cast<int>(p.epoch),
               static_cast<int>(p.epochs), done, "==============================", p.loss, p.rows_per_second,
               p.eta_seconds);
  for (const auto& [name, value] : p.metrics) std::fprintf(stderr, "%s %.4f  ", name.c_str(), value);
  if (p.epoch_ended) std::fputc('\n', stderr);
  return true;
}

int main(int argc, char** argv) try {
  std::FILE* losses = nullptr;
  if (argc > 4 && argv[argc - 2] == std::string_view("--losses")) {
    losses = std::fopen(argv[argc - 1], "w");
    if (losses == nullptr) return std::perror(argv[argc - 1]), 1;
    argc -= 2;
  }
  if (argc < 3 || argc > 4) {
    return std::fputs("usage: mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]\n", stderr), 2;
  }
  std::ifstream file(argv[1]);
  std::stringstream spec;
  spec << file.rdbuf();
  if (!file) return std::fprintf(stderr, "%s cannot be read\n", argv[1]), 1;

  const Engine engine = Engine::create(Options("engine").set("devices", "cpu=2x1")).value();
  const std::string folder = std::filesystem::path(argv[1]).parent_path().string();
  Trainer trainer =
      Trainer::from_spec(engine, spec.str(), {.spec = folder.c_str()}, Options("trainer").set("devices", "all"))
          .value();
  auto on_step = [&](const Progress& p) {
    if (losses) std::fprintf(losses, "%" PRId64 " %016" PRIx64 "\n", p.step, std::bit_cast<uint64_t>(p.loss));
    return draw(p);
  };
  trainer.fit(Dataset(), argc > 3 ? std::atoll(argv[3]) : 0, on_step).value();
  if (losses && std::fclose(losses) != 0) return std::perror("the losses"), 1;
  const Metrics test = trainer.evaluate().value();
  std::printf("test loss %.4f, accuracy %.4f\n", test["loss"], test["accuracy"]);
  const Variables variables = trainer.variables().value();
  trainer.model().value().save(argv[2], variables).value();
  std::printf("%s %s\n", argv[2], variables.digest().value().c_str());
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

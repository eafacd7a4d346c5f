// Fuzzes SPECs: any text gives an error or a trainer.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_graph.h"
#include "tests/fuzz/scratch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static percale_engine* const engine = percale::fuzz::engine("");
  static const percale::fuzz::ScratchFolder folder;
  percale_trainer* trainer = nullptr;
  percale::fuzz::answered(percale_trainer_from_spec(engine, reinterpret_cast<const char*>(data), size,
                                                    folder.path().c_str(), nullptr, nullptr, &trainer));
  if (trainer != nullptr) {
    percale_text* text = nullptr;
    percale::fuzz::answered(percale_trainer_describe(trainer, &text));
    percale_text_release(text);
    percale_trainer_release(trainer);
  }
  percale::fuzz::check_statuses();
  return 0;
}

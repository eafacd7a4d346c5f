// Fuzzes manifests of checkpoints without their checksum, which is added here. For any text a
// trainer resumes from the checkpoint, or returns an error.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/checkpoint/manifest.h"
#include "tests/fuzz/fuzz_graph.h"
#include "tests/fuzz/scratch.h"

namespace {

using percale::fuzz::answered;
using percale::fuzz::must;

// Makes a trainer for a layer of zeros, whose first checkpoint has the same bytes on every machine.
percale_trainer* make_trainer(percale_engine* engine) {
  static constexpr std::string_view kSpec =
      R"({"model": [{"layer": "Dense", "units": 1, "kernel_initializer": "zeros"}],
      "input_shape": [2], "loss": "mse", "metrics": ["mae"], "optimizer": {"name": "sgd", "momentum": 0.9},
      "schedule": {"name": "plateau"}, "early_stopping": {"patience": 1, "restore_best_weights": true},
      "checkpoints": {"keep_best": 1}, "batch_size": 2, "epochs": 2})";
  percale_options* options = nullptr;
  percale_trainer* trainer = nullptr;
  must(percale_options_create("trainer", &options));
  must(percale_options_set(options, "any_fingerprint", "on"));
  must(percale_trainer_from_spec(engine, kSpec.data(), kSpec.size(), nullptr, nullptr, options, &trainer));
  percale_options_release(options);
  return trainer;
}

percale_dataset* make_rows(percale_engine* engine) {
  const std::array<const char*, 2> names = {"x", "y"};
  std::array<percale_tensor*, 2> columns{};
  percale_dataset* rows = nullptr;
  for (int64_t i = 0; i < 2; ++i) {
    const std::array<int64_t, 2> dims = {4, 2 - i};
    must(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims.data(), dims.size(), &columns[static_cast<size_t>(i)]));
  }
  must(percale_dataset_from_tensors(engine, names.data(), columns.data(), columns.size(), &rows));
  must(percale_dataset_configure(rows, 2, 0, 0));
  for (percale_tensor* column : columns) percale_tensor_release(column);
  return rows;
}

// A folder with one checkpoint, whose manifest is replaced for each input.
class Checkpoint {
 public:
  Checkpoint() {
    must(percale_trainer_save(trainer_, folder_.path().c_str()));
    // The seed inputs contain the checksums of this checkpoint. With others every input would fail
    // at the first checksum.
    write(percale::read_file(PERCALE_FUZZ_SEED).value());
    must(percale_trainer_restore(trainer_, folder_.path().c_str()));
    renew_trainer();
  }

  void read(std::string_view manifest) {
    write(manifest);
    answered(percale_file_check(engine_, folder_.path().c_str()));
    percale_status* const status = percale_trainer_restore(trainer_, folder_.path().c_str());
    const bool restored = status == nullptr;
    answered(status);
    if (!restored) return;
    go_on();
    renew_trainer();
  }

 private:
  void write(std::string_view manifest) {
    folder_.write("step-0/MANIFEST", std::string(manifest) + percale::manifest_seal(manifest));
  }
  void renew_trainer() {
    percale_trainer_release(trainer_);
    trainer_ = make_trainer(engine_);
  }
  void go_on() {
    percale_text* text = nullptr;
    answered(percale_trainer_describe(trainer_, &text));
    percale_text_release(text);
    answered(percale_trainer_lock_folder(trainer_, folder_.path().c_str(), 0));
    const auto stop = [](void*, const percale_progress*) -> int32_t { return 1; };
    answered(percale_trainer_fit(trainer_, rows_, 0, stop, nullptr));
  }

  percale_engine* engine_ = percale::fuzz::engine("");
  percale_dataset* rows_ = make_rows(engine_);
  percale_trainer* trainer_ = make_trainer(engine_);
  percale::fuzz::ScratchFolder folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Checkpoint checkpoint;
  checkpoint.read({reinterpret_cast<const char*>(data), size});
  percale::fuzz::check_statuses();
  return 0;
}

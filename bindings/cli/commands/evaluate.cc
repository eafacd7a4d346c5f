#include <cstdio>

#include "api.h"
#include "commands.h"
#include "job.h"
#include "training/run_folder.h"

namespace percale_cli {
namespace {

constexpr Flag kEvaluateFlags[] = {
    {"--data", "DIR", "Folder of the data files; also searched: PERCALE_DATA, the cache, the SPEC's folder."},
};

// Sets every variable of the job to the model's value.
void assign_from_model(const Setup& setup, percale_variables* table, const std::string& path) {
  const Model model(setup, path);
  for (size_t i = 0; i < percale_variables_count(table); ++i) {
    const char* name = percale_variables_get_name(table, i);
    percale_tensor* value = nullptr;
    check(percale_variables_value(model.variables.get(), name, &value), path);
    const Tensor owner(value);
    check(percale_variables_assign(table, name, value), path);
  }
}

// Restores a checkpoint. A finished run evaluates its final weights: the best ones if the SPEC says
// so.
void restore_checkpoint(percale_trainer* trainer, const std::string& path) {
  check(percale_trainer_restore(trainer, path.c_str()), path);
  const Json facts = describe(trainer);
  for (const Json& why : facts["skipped_checkpoints"].items()) say_note(why.text() + ": not used");
  const bool ended = facts["early_stopping"]["stopped"].flag() || epochs_done(facts) >= facts["epochs"].integer();
  if (ended) check(percale_trainer_fit(trainer, nullptr, 0, nullptr, nullptr));
}

int run_evaluate(const Args& args) {
  Setup setup(args);
  const Job job(setup, args);
  const std::string& from = args.positional()[1];
  const char* const data = job.spec["data"]["test"].given() ? "test" : "validation";
  if (!job.spec["data"][data].given()) {
    throw Failure{args.positional()[0] + ": 'data' has neither 'test' nor 'validation' data to evaluate on",
                  PERCALE_FAILED_PRECONDITION};
  }
  const bool model = from.ends_with(".percale") || from.ends_with(".onnx");
  if (model) {
    assign_from_model(setup, job.variables.get(), from);
  } else if (from.ends_with(".safetensors")) {
    check(percale_variables_load(job.variables.get(), from.c_str(), 1));
  } else {
    restore_checkpoint(job.trainer.get(), from);
  }
  percale_text* text = nullptr;
  check(percale_trainer_evaluate(job.trainer.get(), nullptr, &text));
  const Json numbers = Json::parse(take_text(text));
  const std::string restored = restored_from(job.trainer.get()), weights = restored.empty() ? from : restored;
  if (args.json()) {
    std::printf("{\"data\":%s,\"weights\":%s,\"numbers\":%s}\n", json_string(data).c_str(),
                json_string(weights).c_str(), numbers.text().c_str());
    return 0;
  }
  say_note("using weights of " + weights);
  print_numbers(data, numbers);
  return 0;
}

}  // namespace

extern const Command kEvaluate = {
    "evaluate",
    "SPEC.json FROM [--data DIR]",
    "Computes loss and metrics of trained weights on the SPEC's test data, or its validation data without test "
    "data.\nFROM is the folder of a run (its newest checkpoint), a checkpoint (DIR/step-N), a model (.percale)\nor a "
    "safetensors file. A checkpoint within a run has the weights from which training continues.",
    kEvaluateFlags,
    run_evaluate,
    2,
    2};

}  // namespace percale_cli

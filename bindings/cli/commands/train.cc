#include <chrono>
#include <cstdio>
#include <ctime>
#include <list>
#include <optional>

#include "api.h"
#include "commands.h"
#include "device_table.h"
#include "job.h"
#include "system/system.h"
#include "training/cluster_tasks.h"
#include "training/history_file.h"
#include "training/process_group.h"
#include "training/progress.h"
#include "training/run_folder.h"
#include "training/stop_signals.h"

namespace percale_cli {
namespace {

constexpr Flag kTrainFlags[] = {
    {"--data", "DIR", "Folder of the data files; also searched: PERCALE_DATA, the cache, the SPEC's folder."},
    {"--epochs", "N", "Overrides the SPEC.", {"trainer", "epochs"}},
    {"--seed", "N", "Overrides the SPEC.", {"trainer", "seed"}},
    {"--shards", "N", "Overrides the SPEC.", {"trainer", "shards"}},
    {"--mode", "MODE", "Overrides the SPEC.", {"trainer", "mode"}},
    {"--weights", "FILE", "Initial values of all parameters, a safetensors file."},
    {"--out", "DIR", "Folder for checkpoints, history.csv (written during training), loss.svg and model.percale."},
    {"--resume", "DIR",
     "Continues from the newest complete checkpoint in DIR, or from the given one (DIR/step-N); without --out, also "
     "writes to DIR."},
    {"--overwrite", "", "Removes checkpoints and results of another run from the --out folder."},
    {"--checkpoint-every", "N", "Writes a checkpoint every N steps, in addition to one after each epoch."},
    {"--history", "FILE.csv",
     "Writes a line per step during training: epoch, step, loss, learning rate, seconds, metrics."},
    {"--tensorboard", "DIR", "Writes a TensorBoard event file to DIR, updated after each epoch."},
    {"--trace", "FILE.json", "Records when each node of each step ran; open it in Perfetto or chrome://tracing."},
    {"--collective", "KIND",
     "Trains as one process of a group; rank 0 prints and writes. mpi: those of an MPI job, for instance `mpiexec -n 4 "
     "percale train SPEC.json --collective mpi`."},
    {"--cluster", "FILE.json|env",
     "Trains as one process of a cluster: the file describes it in the words of TF_CONFIG; env: the "
     "launcher's environment does (TF_CONFIG, Slurm, torchrun, Kubernetes). TF_CONFIG is also read without this flag. "
     "PERCALE_CERTIFICATES names the folder of certificates that `percale-worker --make-certificates` has made."},
    {"--task", "JOB:N", "This process's task in the --cluster, such as worker:1."},
    {"--join-timeout", "SECONDS", "Time until all processes of the --cluster must be there; default 60."},
    {"--digest", "", "Prints `digest sha256:...` of the parameters."},
};

constexpr std::string_view kMore =
    "`percale list spec` lists the keys of a SPEC with types and defaults, `percale list layers` the layers;\nlikewise "
    "losses, metrics, optimizers and schedules. SPEC.md has examples of whole jobs.\n`percale check SPEC.json` checks "
    "one.";

std::string event_path(const std::string& folder) {
  make_folder(folder);
  return folder + "/events.out.tfevents." + std::to_string(std::time(nullptr)) + ".percale." +
         std::to_string(process_id());
}

// A training and the files that grow with it.
struct Training {
  percale_trainer* trainer;
  ProgressBar bar;
  std::string out;
  int64_t checkpoint_every;
  std::optional<percale_progress> last = {};
  percale_status* failed = nullptr;  // an error in the callback that ended the training
  std::list<HistoryFile> histories = {};
  std::chrono::steady_clock::time_point histories_grew = {};
  std::string saved = {};  // the last checkpoint
  const ProcessGroup* group = nullptr;

  // One process of a group speaks for all.
  bool speaks() const { return group == nullptr || group->rank() == 0; }
  int ended_by = 0;  // signal that ended the training before its last step; 0: none
};

// The history files grow with each checkpoint and epoch, and at least this often.
constexpr std::chrono::seconds kHistoryPause(10);

bool update_histories(Training& training, bool settled) {
  bool good = true;
  for (HistoryFile& file : training.histories) good = file.update(training.trainer, settled) && good;
  training.histories_grew = std::chrono::steady_clock::now();
  return good;
}

int32_t on_step(void* user, const percale_progress* progress) {
  auto& training = *static_cast<Training*>(user);
  if (training.speaks()) training.bar.show(*progress);
  training.last = *progress;
  const bool epoch_ended = progress->epoch_ended != 0;
  if (progress->step < progress->steps) training.ended_by = StopSignals::received();
  const bool due = training.checkpoint_every > 0 && progress->step % training.checkpoint_every == 0;
  // In a group all processes save together, and a signal may have come to one of them alone.
  const bool ends = training.ended_by != 0 && training.group == nullptr;
  const bool saves = !training.out.empty() && (due || epoch_ended || ends);
  if (saves) {
    training.failed = percale_trainer_save(training.trainer, training.out.c_str());
    training.saved = training.out + "/step-" + std::to_string(percale_trainer_steps(training.trainer));
  }
  bool written = true;
  if (saves || epoch_ended || std::chrono::steady_clock::now() - training.histories_grew > kHistoryPause) {
    written = update_histories(training, epoch_ended);
  }
  return training.failed == nullptr && written && training.ended_by == 0 ? 0 : 1;
}

// Writes the trained model, history and plot to the folder, and prints their paths for people.
void write_results(const Training& training, percale_variables* variables, bool quiet) {
  percale_graph* made = nullptr;
  check(percale_trainer_model(training.trainer, &made));
  const Graph model(made);
  const std::string base = training.out + "/";
  check(percale_graph_save_file(made, variables, (base + kModelFile).c_str()));
  write_file(base + kPlotFile, history_text(training.trainer, "svg"));
  if (quiet) return;
  if (!training.saved.empty()) print(stdout, "checkpoint  %s\n", training.saved.c_str());
  print(stdout, "graph       %s%s\nhistory     %s%s\nplot        %s%s\n", base.c_str(), kModelFile, base.c_str(),
        kHistoryFile, base.c_str(), kPlotFile);
}

void print_result(const Training& training, const Json& test, const std::string& digest) {
  const std::string loss = test.present()  ? test["loss"].text()
                           : training.last ? json_number(training.last->loss)
                                           : "null";
  std::string metrics;
  for (const auto& [name, value] : test.members()) {
    if (name != "loss") metrics += (metrics.empty() ? "" : ",") + json_string(name) + ":" + value.text();
  }
  const long long steps = percale_trainer_steps(training.trainer);
  const std::string path = training.saved.empty() ? restored_from(training.trainer) : training.saved;
  const std::string checkpoint = path.empty() ? "null" : json_string(path);
  const Json facts = describe(training.trainer);
  const bool stopped = facts["early_stopping"]["stopped"].flag();
  const std::string ended_by = training.ended_by != 0 ? json_string(signal_name(training.ended_by))
                               : stopped              ? "\"early_stopping\""
                                                      : "null";
  std::printf(
      "{\"steps\":%lld,\"loss\":%s,\"metrics\":{%s},\"digest\":%s,\"seconds\":%s,\"images_per_second\":%s,"
      "\"checkpoint\":%s,\"ended_by\":%s,\"parallel\":%s,\"parameter_placement\":%s,\"devices\":%s,\"run\":%s}\n",
      steps, loss.c_str(), metrics.c_str(), json_string(digest).c_str(),
      json_number(training.last ? training.last->seconds : 0).c_str(),
      json_number(training.last ? training.last->rows_per_second : 0).c_str(), checkpoint.c_str(), ended_by.c_str(),
      facts["parallel"].text().c_str(), facts["parameter_placement"].text().c_str(),
      facts["run"]["devices"].text().c_str(), run_json(facts["run"]).c_str());
}

// Prints the state after a signal, and the command that continues.
void tell_end(const Training& training, const Args& args) {
  std::string text = "stopped by " + std::string(signal_name(training.ended_by)) + " after step " +
                     std::to_string(percale_trainer_steps(training.trainer)) + " of " +
                     std::to_string(training.last->steps);
  if (training.out.empty()) {
    text += "; nothing is saved without --out";
  } else {
    text += ". To continue:\n  percale train" + args.again({"--out", "--resume", "--overwrite"}) + " --resume " +
            shell_word(training.out);
  }
  say_note(text);
}

// "early stopping after epoch 34 (best: 26, val_loss 0.27)"
std::string early_stopping_text(const Json& facts) {
  const Json stopping = facts["early_stopping"];
  std::string out = "early stopping after epoch " + std::to_string(epochs_done(facts));
  if (!stopping["best_epoch"].given()) return out;
  char best[64];
  std::snprintf(best, sizeof best, "%.4g", stopping["best"].number());
  return out + " (best: " + stopping["best_epoch"].text() + ", " + stopping["monitor"].text() + " " + best + ")";
}

// Prints why the training ended before its last epoch, or before its first step.
void tell_what_is_left(const Json& facts, bool trained) {
  const bool stopped = facts["early_stopping"]["stopped"].flag();
  if (trained) {
    if (stopped) say_note("stopped by " + early_stopping_text(facts));
  } else if (stopped) {
    say_note("nothing left to train: the run was stopped by " + early_stopping_text(facts) + " and stays stopped");
  } else {
    const std::string epochs = std::to_string(epochs_done(facts));
    say_note("nothing left to train: " + epochs + (epochs == "1" ? " epoch is" : " epochs are") +
             " done; continue with a larger --epochs");
  }
}

// Restores the run that --resume names, and locks the folder for the results. Returns the folder;
// "" if nothing is written.
std::string open_folder(percale_trainer* trainer, const Args& args, bool speaks) {
  std::string out = args.get("--out");
  if (args.has("--resume")) {
    const std::string folder = resume(trainer, args.get("--resume"));
    if (out.empty()) out = folder;
  }
  if (!out.empty() && speaks) lock_folder(trainer, out, args.has("--overwrite"));
  return out;
}

void open_histories(Training& training, const Args& args) {
  if (!training.out.empty()) training.histories.emplace_back(training.out + "/" + kHistoryFile, "csv");
  if (args.has("--history")) training.histories.emplace_back(args.get("--history"), "csv");
  if (args.has("--tensorboard")) training.histories.emplace_back(event_path(args.get("--tensorboard")), "events");
  update_histories(training, true);
}

// Trains until the last step or a signal. Throws if the training or writing its files failed.
void fit(Training& training) {
  percale_status* fitted = percale_trainer_fit(training.trainer, nullptr, 0, on_step, &training);
  training.bar.clear();
  update_histories(training, true);
  if (training.failed != nullptr) {
    percale_status_release(fitted);
    check(training.failed, "the checkpoint");
  }
  check(fitted);
  for (const HistoryFile& file : training.histories) file.check_written();
}

// Evaluates the test data, if the SPEC has any and no signal ended the training.
Json evaluate_test(const Training& training, const Json& spec) {
  if (training.ended_by != 0 || !spec["data"]["test"].given()) return {};
  percale_text* json = nullptr;
  check(percale_trainer_evaluate(training.trainer, nullptr, &json));
  return Json::parse(take_text(json));
}

std::string digest_of(percale_variables* table) {
  percale_text* text = nullptr;
  check(percale_variables_digest(table, &text));
  return take_text(text);
}

// A process of the cluster that serves or evaluates instead of training. Returns its exit code;
// nullopt: this process trains.
std::optional<int> run_other_task(const Args& args, const NamedCluster& cluster, bool has_servers) {
  const std::string job = cluster.job();
  if (job == "evaluator") return follow_checkpoints(args);
  if ((job == "ps" || job == "worker") && has_servers) return serve_chief(args, cluster);
  return std::nullopt;
}

// Trains, and writes when each node ran if --trace asks for it.
void fit_traced(Training& training, Setup& setup, const Args& args) {
  if (!args.has("--trace")) return fit(training);
  const Trace trace = make_trace(setup);
  percale_trainer_set_trace(training.trainer, trace.get());
  fit(training);
  percale_trainer_set_trace(training.trainer, nullptr);
  write_trace(trace, args.get("--trace"));
}

// Evaluates the test data and prints how the training ended. All processes of a group evaluate; one
// prints. Returns the exit code.
int report(const Training& training, const Job& job, const Args& args) {
  const int exit_code = training.ended_by != 0 ? kEndedBySignal + training.ended_by : 0;
  if (!training.speaks()) {
    evaluate_test(training, job.spec);
    return exit_code;
  }
  if (training.ended_by != 0) {
    tell_end(training, args);
  } else {
    tell_what_is_left(describe(training.trainer), training.last.has_value());
  }
  const Json test = evaluate_test(training, job.spec);
  const std::string digest = digest_of(job.variables.get());
  if (args.json()) {
    print_result(training, test, digest);
    return exit_code;
  }
  print_devices(describe(training.trainer)["run"]);
  if (args.has("--digest")) std::printf("digest %s\n", digest.c_str());
  if (test.present()) print_numbers("test", test);
  return exit_code;
}

int run_train(const Args& args) {
  const bool writes = args.has("--out") || args.has("--resume");
  const int64_t every = args.integer("--checkpoint-every", 0, 1);
  for (const char* flag : {"--checkpoint-every", "--overwrite"}) {
    if (args.has(flag) && !writes) throw UsageError{std::string(flag) + " requires --out DIR"};
  }
  std::optional<NamedCluster> cluster = named_cluster(args);
  const Json spec = cluster ? Json::parse(read_file(args.positional()[0])) : Json();
  const bool has_servers = spec["strategy"].text() == "parameter_server";
  if (const auto code = cluster ? run_other_task(args, *cluster, has_servers) : std::nullopt) return *code;
  Setup setup(args);
  if (has_servers) use_cluster_devices(setup, args, spec, *cluster);
  std::unique_ptr<ProcessGroup> group = has_servers ? nullptr : open_group(args, std::move(cluster));
  const Job job(setup, args);
  if (group == nullptr && job.spec["strategy"].text() == "multi_worker_mirrored") group = open_launched_group();
  percale_trainer* const made = job.trainer.get();
  percale_variables* const table = job.variables.get();
  if (args.has("--weights")) check(percale_variables_load(table, args.get("--weights").c_str(), 1));
  if (group != nullptr) group->join(made);
  const bool speaks = group == nullptr || group->rank() == 0;
  if (!args.json() && speaks) print(stderr, "devices: %s\n", device_names(setup).c_str());
  const std::string out = open_folder(made, args, speaks);

  const int64_t before = percale_trainer_steps(made);
  Training training{made, ProgressBar(job.spec["input_shape"].items().size() >= 2 ? "images" : "rows"), out, every};
  training.group = group.get();
  if (speaks) open_histories(training, args);
  const StopSignals signals;
  fit_traced(training, setup, args);
  if (speaks && !out.empty() && percale_trainer_steps(made) > before) write_results(training, table, args.json());
  return report(training, job, args);
}

}  // namespace

extern const Command kTrain = {"train",
                               "SPEC.json [--data DIR] [--out DIR] [--resume DIR] [--digest] ...",
                               "Trains the model of a SPEC and evaluates it.",
                               kTrainFlags,
                               run_train,
                               1,
                               1,
                               kMore};

}  // namespace percale_cli

#include "training/cluster_tasks.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "job.h"
#include "system/system.h"
#include "training/run_folder.h"
#include "training/stop_signals.h"

namespace percale_cli {
namespace {

using Server = std::unique_ptr<percale_server, Releaser<&percale_server_release>>;

constexpr std::chrono::milliseconds kPause(200);

int exit_code() { return StopSignals::received() == 0 ? 0 : kEndedBySignal + StopSignals::received(); }

// True if there is a checkpoint of a later step in the folder.
bool has_news(const std::string& folder, int64_t step) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_of(folder), error)) {
    const std::string name = text_of(entry.path().filename());
    if (name.starts_with("step-") && std::strtoll(name.c_str() + 5, nullptr, 10) > step) return true;
  }
  return false;
}

// Restores the newest whole checkpoint. Returns false if there is none.
bool restore(percale_trainer* trainer, const std::string& folder) {
  percale_status* status = percale_trainer_restore(trainer, folder.c_str());
  if (percale_status_code(status) == PERCALE_NOT_FOUND) {
    percale_status_release(status);
    return false;
  }
  check(status, folder);
  return true;
}

void evaluate(const Job& job, bool json) {
  percale_text* text = nullptr;
  check(percale_trainer_evaluate(job.trainer.get(), nullptr, &text));
  const std::string numbers = take_text(text);
  const std::string step = std::to_string(percale_trainer_steps(job.trainer.get()));
  if (json) {
    std::printf("{\"step\":%s,\"numbers\":%s}\n", step.c_str(), numbers.c_str());
  } else {
    print_numbers("step " + step, Json::parse(numbers));
  }
  std::fflush(stdout);
}

bool has_ended(const Json& facts) {
  return facts["early_stopping"]["stopped"].flag() || epochs_done(facts) >= facts["epochs"].integer();
}

}  // namespace

int serve_chief(const Args& args, const NamedCluster& cluster) {
  Setup setup(args);
  setup.make_engine();
  percale_server* made = nullptr;
  const std::string certificates = certificates_folder();
  check(percale_server_create(setup.engine.get(), cluster.own_address().c_str(), certificates.c_str(), &made));
  const Server server(made);
  say_note(cluster.job() + " " + std::to_string(cluster.task()) + ": serves " + device_names(setup) + " at " +
           cluster.own_address());
  const StopSignals signals;
  while (StopSignals::received() == 0) {
    percale_status* status =
        percale_server_wait(made, std::chrono::duration_cast<std::chrono::nanoseconds>(kPause).count());
    if (percale_status_code(status) != PERCALE_DEADLINE_EXCEEDED) {
      check(status, "the chief");
      break;
    }
    percale_status_release(status);
  }
  return exit_code();
}

int follow_checkpoints(const Args& args) {
  const std::string folder = args.get("--out");
  if (folder.empty()) throw UsageError{"the evaluator reads the checkpoints of the training; --out DIR is missing"};
  Setup setup(args);
  const Job job(setup, args);
  const StopSignals signals;
  for (int64_t step = -1; StopSignals::received() == 0; std::this_thread::sleep_for(kPause)) {
    if (!has_news(folder, step) || !restore(job.trainer.get(), folder)) continue;
    if (percale_trainer_steps(job.trainer.get()) == step) continue;
    step = percale_trainer_steps(job.trainer.get());
    evaluate(job, args.json());
    if (has_ended(describe(job.trainer.get()))) break;
  }
  return exit_code();
}

void use_cluster_devices(Setup& setup, const Args& args, const Json& spec, const NamedCluster& cluster) {
  const Json devices = spec["devices"];
  if (devices.given() && devices.text() != "all" && devices.text().find("/job:") == std::string::npos) {
    throw Failure{"'devices' of the SPEC is '" + devices.text() +
                      "', but with strategy parameter_server the devices of " +
                      "the cluster's workers compute; leave it out, or name tasks, such as /job:worker",
                  PERCALE_INVALID_ARGUMENT};
  }
  percale_options* const options = setup.engine_options.get();
  check(percale_options_set(options, "cluster", cluster.option.c_str()), "--cluster");
  check(percale_options_set_int(options, "connect_timeout", join_seconds(args)), "--join-timeout");
  if (args.has("--devices")) return;
  const bool has_servers = percale_cluster_task_count(cluster.cluster.get(), "ps") > 0;
  check(percale_options_set(options, "devices", has_servers ? "/job:worker,/job:ps" : "/job:worker"));
}

}  // namespace percale_cli

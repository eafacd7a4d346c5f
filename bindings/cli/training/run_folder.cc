#include "training/run_folder.h"

#include <cstdio>
#include <filesystem>

#include "api.h"
#include "system/system.h"

namespace percale_cli {

Json describe(percale_trainer* trainer) {
  percale_text* text = nullptr;
  check(percale_trainer_describe(trainer, &text));
  return Json::parse(take_text(text));
}

int64_t epochs_done(const Json& facts) { return facts["epoch"].integer() - 1; }

std::string restored_from(percale_trainer* trainer) {
  const Json path = describe(trainer)["restored_from"];
  return path.given() ? path.text() : "";
}

std::string resume(percale_trainer* trainer, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path_of(path), error)) throw Failure{"--resume: there is no folder " + path};
  percale_status* status = percale_trainer_restore(trainer, path.c_str());
  if (percale_status_code(status) == PERCALE_NOT_FOUND) {
    percale_status_release(status);
    say_note("no checkpoint in " + path + ": starting at step 0");
    return path;
  }
  check(status, "--resume");
  const Json facts = describe(trainer);
  for (const Json& why : facts["skipped_checkpoints"].items()) say_note(why.text() + ": not used");
  const std::string from = facts["restored_from"].text();
  say_note("continuing after step " + std::to_string(percale_trainer_steps(trainer)) + " of " + from);
  const std::filesystem::path folder = path_of(from).parent_path();
  return folder.empty() ? "." : text_of(folder);
}

void lock_folder(percale_trainer* trainer, const std::string& folder, bool overwrite) {
  percale_status* status = percale_trainer_lock_folder(trainer, folder.c_str(), overwrite ? 1 : 0);
  if (percale_status_code(status) == PERCALE_ALREADY_EXISTS) {
    const std::string message = percale_status_message(status, nullptr);
    percale_status_release(status);
    throw Failure{message + ": continue it with --resume, remove it with --overwrite, or choose another --out"};
  }
  check(status);
  if (!overwrite || !restored_from(trainer).empty()) return;
  for (const char* name : {kModelFile, kHistoryFile, kPlotFile}) remove_file(folder + "/" + name);
}

}  // namespace percale_cli

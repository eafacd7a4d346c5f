#include <cstdio>

#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

// The reason why the file is bad, or "" if it is good.
std::string verdict(const Setup& setup, const std::string& path) {
  try {
    check(percale_file_check(setup.engine.get(), path.c_str()));
  } catch (const Failure& failure) {
    // The message already begins with the path.
    return failure.message.starts_with(path + ": ") ? failure.message.substr(path.size() + 2) : failure.message;
  }
  return {};
}

int run_check(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  bool all_ok = true;
  std::string json;
  for (const std::string& path : args.positional()) {
    const std::string reason = verdict(setup, path);
    all_ok = all_ok && reason.empty();
    if (args.json()) {
      json += (json.empty() ? "" : ",") + ("{\"file\":" + json_string(path)) +
              ",\"ok\":" + (reason.empty() ? "true" : "false") +
              (reason.empty() ? "" : ",\"reason\":" + json_string(reason)) + "}";
    } else if (reason.empty()) {
      print(stdout, "ok %s\n", path.c_str());
    } else {
      print(stdout, "bad %s: %s\n", path.c_str(), reason.c_str());
    }
  }
  if (args.json()) std::printf("[%s]\n", json.c_str());
  return all_ok ? 0 : 1;
}

}  // namespace

extern const Command kCheck = {
    "check",
    "FILE...",
    "Checks files and checkpoint folders; prints a line `ok FILE` or `bad FILE: where: what` for each.",
    {},
    run_check,
    1,
    SIZE_MAX,
    "Kinds: .percale, .onnx, .safetensors, .npy, .npz, a SPEC (.json), a checkpoint or a folder of checkpoints."};

}  // namespace percale_cli

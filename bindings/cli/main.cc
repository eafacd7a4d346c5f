// `percale COMMAND ...`: finds and runs the command, and turns an error into a message and an exit
// code.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "api.h"
#include "commands/commands.h"
#include "help.h"
#include "system/system.h"

using namespace percale_cli;

namespace {

const Command* const kCommands[] = {&kInfo, &kList,  &kOps,      &kShow,    &kPlan,  &kKernels, &kRun,    &kBench,
                                    &kTest, &kTrain, &kEvaluate, &kPredict, &kTrace, &kCheck,   &kImport, &kExport};

std::string overview() {
  std::string out = "usage: percale COMMAND ...\n\n";
  for (const Command* command : kCommands) {
    std::string name = "  " + std::string(command->name);
    name.resize(12, ' ');
    out += name + std::string(command->doc.substr(0, command->doc.find('\n'))) + "\n";
  }
  return out + "\n`percale help COMMAND` shows details. `percale --version` shows the version.\n";
}

const Command* find_command(std::string_view name) {
  for (const Command* command : kCommands) {
    if (command->name == name) return command;
  }
  return nullptr;
}

bool wants_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

// With --json the answer is one JSON value, also if it is a text or an error.
int tell(const char* key, const std::string& text, bool json) {
  const std::string printed = json ? std::string("{\"") + key + "\":" + json_string(text) + "}\n" : text;
  return std::fputs(printed.c_str(), stdout) < 0 ? 1 : 0;
}

int fail(int code, percale_code status, const std::string& message, bool json) {
  say_error(message);
  if (json) {
    std::printf("{\"error\":{\"code\":%s,\"message\":%s}}\n", json_string(percale_code_name(status)).c_str(),
                json_string(message).c_str());
  }
  return code;
}

int run(const Command& command, int argc, char** argv) {
  const bool json = wants_json(argc, argv);
  try {
    const Args args(command, argc, argv);
    if (args.help()) return tell("help", help_text(command), json);
    const int code = command.run(args);
    if (std::fflush(stdout) != 0) throw Failure{std::string("stdout: cannot be written: ") + std::strerror(errno)};
    // Ends by the signal that ended the command, so that a shell's loop ends too.
    if (code > kEndedBySignal) std::raise(code - kEndedBySignal);
    return code;
  } catch (const UsageError& error) {
    const int code = fail(2, PERCALE_INVALID_ARGUMENT, std::string(command.name) + ": " + error.message, json);
    std::fprintf(stderr, "usage: percale %s %s\n", std::string(command.name).c_str(),
                 std::string(command.usage).c_str());
    return code;
  } catch (const Failure& failure) {
    return fail(1, failure.code, failure.message, json);
  } catch (const std::bad_alloc&) {
    return fail(1, PERCALE_RESOURCE_EXHAUSTED, "out of memory", json);
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_main(&argc, &argv);
  const std::string_view name = argc > 1 ? argv[1] : "";
  const bool json = wants_json(argc, argv);
  if (name == "--version") {
    const std::string version = percale_version();
    return tell("version", json ? version : "percale " + version + "\n", json);
  }
  std::string_view wanted = name;
  const bool help = name == "--help" || name == "-h" || name == "help";
  if (help) {
    char** const topic = std::find_if(argv + 2, argv + argc, [](std::string_view word) { return word != "--json"; });
    if (topic == argv + argc) return tell("help", overview(), json);
    wanted = *topic;
  }
  if (const Command* command = find_command(wanted); command != nullptr) {
    if (!help) return run(*command, argc - 2, argv + 2);
    char help_flag[] = "--help", json_flag[] = "--json";
    char* flags[] = {help_flag, json_flag};
    return run(*command, json ? 2 : 1, flags);
  }
  if (!wanted.empty()) {
    std::vector<std::string> names;
    for (const Command* command : kCommands) names.emplace_back(command->name);
    fail(2, PERCALE_INVALID_ARGUMENT, "unknown command '" + std::string(wanted) + "'" + did_you_mean(wanted, names),
         json);
  }
  std::fputs(overview().c_str(), stderr);
  return 2;
}

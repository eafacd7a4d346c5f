// `percale COMMAND ...`: finds the command, runs it, turns what went wrong into a message and an exit code.
#include <csignal>
#include <cstdio>
#include <new>

#include "api.h"
#include "commands.h"

using namespace percale_cli;

namespace {

const Command* const kCommands[] = {&kInfo, &kOps,   &kShow,  &kPlan,  &kKernels, &kRun,   &kBench,
                                    &kTest, &kTrain, &kTrace, &kCheck, &kImport,  &kExport};

std::string overview() {
  std::string out = "usage: percale COMMAND ...\n\n";
  for (const Command* command : kCommands) {
    std::string name = "  " + std::string(command->name);
    name.resize(12, ' ');
    out += name + std::string(command->doc.substr(0, command->doc.find('\n'))) + "\n";
  }
  return out + "\n`percale COMMAND --help` tells more. `percale --version` tells the version.\n";
}

int run(const Command& command, int argc, char** argv) {
  try {
    const Args args(command, argc, argv);
    if (args.help()) {
      std::fputs(help_text(command).c_str(), stdout);
      return 0;
    }
    const int code = command.run(args);
    if (std::fflush(stdout) != 0) throw Failure{"stdout: cannot be written"};
    // What a signal has ended ends by it: a shell's loop ends, too.
    if (code > kEndedBySignal) std::raise(code - kEndedBySignal);
    return code;
  } catch (const UsageError& error) {
    say_error(std::string(command.name) + ": " + error.message);
    std::fprintf(stderr, "usage: percale %s %s\n", std::string(command.name).c_str(),
                 std::string(command.usage).c_str());
    return 2;
  } catch (const Failure& failure) {
    say_error(failure.message);
    return 1;
  } catch (const std::bad_alloc&) {
    say_error("out of memory");
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--version") return std::printf("percale %s\n", percale_version()) < 0 ? 1 : 0;
  if (name == "--help" || name == "-h" || name == "help") return std::fputs(overview().c_str(), stdout) < 0 ? 1 : 0;
  for (const Command* command : kCommands) {
    if (command->name == name) return run(*command, argc - 2, argv + 2);
  }
  if (!name.empty()) say_error("unknown command '" + std::string(name) + "'");
  std::fputs(overview().c_str(), stderr);
  return 2;
}

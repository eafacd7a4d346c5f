// Command lines: flags of a command, their values, and the text of --help.
#ifndef PERCALE_BINDINGS_CLI_ARGS_H_
#define PERCALE_BINDINGS_CLI_ARGS_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percale_cli {

struct Flag {
  std::string_view name;   // "--threads"
  std::string_view value;  // "N"; empty: a switch
  std::string_view doc;
};

class Args;

// An exit code above it: the command has ended early because of the signal of that number more.
inline constexpr int kEndedBySignal = 128;

struct Command {
  std::string_view name, usage, doc;  // usage: what follows the name
  std::span<const Flag> flags;        // besides the common ones
  int (*run)(const Args& args);       // the exit code
  size_t min_positional = 0, max_positional = SIZE_MAX;
  std::string_view more = {};  // of the help text, behind `doc`: whole lines
};

// Flags that every command takes.
std::span<const Flag> common_flags();

// What a user did wrong; exit code 2.
struct UsageError {
  std::string message;
};

class Args {
 public:
  // Throws UsageError for what the command does not know; the nearest flag is named. `--flag=value` and `--flag value`.
  Args(const Command& command, int argc, char** argv);

  bool has(std::string_view flag) const { return values_.contains(flag); }
  // The last value that was given, else `fallback`.
  std::string get(std::string_view flag, std::string_view fallback = {}) const;
  const std::vector<std::string>& all(std::string_view flag) const;
  // Throws UsageError unless it is an integer of at least `min`.
  int64_t integer(std::string_view flag, int64_t fallback, int64_t min) const;
  const std::vector<std::string>& positional() const { return positional_; }
  // The flags and arguments again, quoted for a shell, without some flags.
  std::string again(std::initializer_list<std::string_view> dropped) const;
  bool help() const { return has("--help"); }
  bool json() const { return has("--json"); }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> positional_;
};

std::string help_text(const Command& command);

// Splits "NAME=REST" at the first '='; UsageError names the flag when there is none.
std::pair<std::string, std::string> split_pair(std::string_view flag, const std::string& text);

// ", did you mean 'x'?" where one of the known names is similar, else "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

// As a word of a command line: in quotes where a shell would read it otherwise.
std::string shell_word(const std::string& text);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_ARGS_H_

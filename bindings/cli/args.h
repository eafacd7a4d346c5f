// Command lines: flags of a command, and their values.
#ifndef PERCALE_BINDINGS_CLI_ARGS_H_
#define PERCALE_BINDINGS_CLI_ARGS_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace percale_cli {

// An option of the library, which has a row in percale_options_describe().
struct OptionName {
  std::string_view kind;  // "engine"; empty: no option
  std::string_view key;
};

struct Flag {
  std::string_view name;   // "--threads"
  std::string_view value;  // "N"; empty: a switch
  std::string_view doc;    // of a flag that sets an option: follows the doc of the option
  OptionName sets = {};    // the option that gets the flag's value
};

class Args;

// The exit code of a command that a signal has ended early is the signal's number plus this one.
inline constexpr int kEndedBySignal = 128;

struct Command {
  std::string_view name, usage, doc;  // usage: the text after the name
  std::span<const Flag> flags;        // in addition to the common ones
  int (*run)(const Args& args);       // returns the exit code
  size_t min_positional = 0, max_positional = SIZE_MAX;
  std::string_view more = {};  // added to the help text after `doc`: whole lines
};

// Flags that every command takes.
std::span<const Flag> common_flags();

// A usage error; exit code 2.
struct UsageError {
  std::string message;
};

class Args {
 public:
  // Accepts `--flag=value` and `--flag value`. Throws UsageError for unknown flags; it names the
  // nearest flag.
  Args(const Command& command, int argc, char** argv);

  bool has(std::string_view flag) const { return values_.contains(flag); }
  // Returns the last value given, else `fallback`.
  std::string get(std::string_view flag, std::string_view fallback = {}) const;
  const std::vector<std::string>& all(std::string_view flag) const;
  // The flags that set options, with their values.
  const std::vector<std::pair<const Flag*, std::string>>& options() const { return options_; }
  // Throws UsageError unless it is an integer of at least `min`.
  int64_t integer(std::string_view flag, int64_t fallback, int64_t min) const;
  const std::vector<std::string>& positional() const { return positional_; }
  // Returns the flags and arguments, quoted for a shell, without the flags in `dropped`.
  std::string again(std::initializer_list<std::string_view> dropped) const;
  bool help() const { return has("--help"); }
  bool json() const { return has("--json"); }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> positional_;
  std::vector<std::pair<const Flag*, std::string>> options_;
};

// Splits "NAME=REST" at the first '='. Without one, throws UsageError that names the flag.
std::pair<std::string, std::string> split_pair(std::string_view flag, const std::string& text);

// Returns ", did you mean 'x'?" if one of the known names is similar, else "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

// Returns the text as a word of a command line, quoted if a shell needs that.
std::string shell_word(const std::string& text);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_ARGS_H_

// Options of the C ABI: a table per kind, and objects that hold the values that were set.
#ifndef PERCALE_C_API_OPTIONS_OPTIONS_H_
#define PERCALE_C_API_OPTIONS_OPTIONS_H_

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "c_api/api.h"
#include "c_api/options/host_parts.h"
#include "core/text/option.h"

namespace percale::c_api {

struct OptionKind {
  std::string_view name;
  std::vector<OptionSpec> (*options)();  // makes the table
};
// "engine", "session", "trainer", "export".
std::span<const OptionKind> option_kinds();

}  // namespace percale::c_api

struct percale_options {
  const percale::c_api::OptionKind* kind;
  std::vector<percale::OptionSpec> table;
  std::map<std::string, std::string, std::less<>> values;  // from checked_option(), of set options
  // Null: the host supplies none. Only engines have them.
  std::shared_ptr<percale::c_api::HostThreadPool> thread_pool = nullptr;
  std::shared_ptr<percale::c_api::HostReader> reader = nullptr;
};

namespace percale::c_api {

// Options of `kind` or null, else INVALID_ARGUMENT.
Status check_options(const char* function, const percale_options* options, std::string_view kind);

// Reads options: the values that were set, and the defaults of the others. Borrows the options.
class OptionValues {
 public:
  // `options` may be null: then all values are the defaults. Precondition: check_options().
  OptionValues(const percale_options* options, std::string_view kind);
  OptionValues(const OptionValues&) = delete;
  OptionValues& operator=(const OptionValues&) = delete;

  // Precondition of all: the key is in the table of the kind.
  bool is_set(std::string_view key) const;
  std::string text(std::string_view key) const;
  int64_t integer(std::string_view key) const;
  bool is_on(std::string_view key) const { return text(key) == "on"; }

 private:
  const percale_options* options_;
  std::vector<OptionSpec> defaults_;  // where there are no options
};

}  // namespace percale::c_api

#endif  // PERCALE_C_API_OPTIONS_OPTIONS_H_

// Texts that explain commands, keys and options.
#ifndef PERCALE_BINDINGS_CLI_HELP_H_
#define PERCALE_BINDINGS_CLI_HELP_H_

#include <string>

#include "args.h"
#include "json.h"

namespace percale_cli {

// The text of --help. Flags that set options are explained by the library's own descriptions.
std::string help_text(const Command& command);

// Breaks the text into lines of 100 columns and indents them.
std::string wrapped(const std::string& text, size_t indent);

// Returns type, range and default of a key or an option: "int, 1 to 1024, default: 8".
std::string facts_text(const Json& key);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_HELP_H_

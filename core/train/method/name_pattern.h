// Matches names of variables with patterns: "dense*/kernel".
#ifndef PERCALE_CORE_TRAIN_METHOD_NAME_PATTERN_H_
#define PERCALE_CORE_TRAIN_METHOD_NAME_PATTERN_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/graph/graph.h"

namespace percale {

// True if `pattern` matches the whole name. '*' matches any characters, '?' one character.
bool matches_pattern(std::string_view pattern, std::string_view name);
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);

// Returns INVALID_ARGUMENT for a pattern that matches no variable other than slots, since it is
// probably misspelt. `what` names the option.
Status check_pattern(std::string_view what, const std::string& pattern, const std::vector<Variable>& variables);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_NAME_PATTERN_H_

// Names of variables by pattern: "dense*/kernel".
#ifndef PERCALE_CORE_TRAIN_METHOD_NAME_PATTERN_H_
#define PERCALE_CORE_TRAIN_METHOD_NAME_PATTERN_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/graph/graph.h"

namespace percale {

// True when `pattern` is the whole name; '*' stands for any characters, '?' for one.
bool matches_pattern(std::string_view pattern, std::string_view name);
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);

// INVALID_ARGUMENT for a pattern that no variable has but slots: it is misspelt. `what` names the option.
Status check_pattern(std::string_view what, const std::string& pattern, const std::vector<Variable>& variables);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_NAME_PATTERN_H_

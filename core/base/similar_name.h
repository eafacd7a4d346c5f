// Suggestions for error messages about unknown names.
#ifndef PERCALE_CORE_BASE_SIMILAR_NAME_H_
#define PERCALE_CORE_BASE_SIMILAR_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace percale {

// Returns the candidate that `name` is most likely a misspelling of, or an empty string. At most a
// third of the letters may be wrong, missing, extra or swapped with a neighbour; case is ignored.
// Failing that, a candidate that begins with `name` (3 letters or more) counts as similar.
std::string similar_name(std::string_view name, const std::vector<std::string>& candidates);

// Returns the end of an error message: ", did you mean 'x'?". If no candidate is similar, lists all
// candidates, or returns an empty string if there are many.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// The same for a key of a SPEC, a layer or an object of options: lists all valid keys, however
// many, after the similar one.
std::string did_you_mean_key(std::string_view key, const std::vector<std::string>& keys);

}  // namespace percale

#endif  // PERCALE_CORE_BASE_SIMILAR_NAME_H_

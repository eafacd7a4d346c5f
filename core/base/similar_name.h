// What to say of a name that is none of those that there are.
#ifndef PERCALE_CORE_BASE_SIMILAR_NAME_H_
#define PERCALE_CORE_BASE_SIMILAR_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace percale {

// The candidate that `name` is most likely a slip of: at most a third of its letters are wrong, missing, too many or swapped
// with their neighbours, whatever their case, or the candidate begins with it. Empty when none is similar.
std::string similar_name(std::string_view name, const std::vector<std::string>& candidates);

// The end of a message: ", did you mean 'x'?", or a list of all candidates where none is similar, unless they are many.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace percale

#endif  // PERCALE_CORE_BASE_SIMILAR_NAME_H_

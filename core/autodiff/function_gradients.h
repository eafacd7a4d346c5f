// Backward functions for the ops that carry functions.
#ifndef PERCALE_CORE_AUTODIFF_FUNCTION_GRADIENTS_H_
#define PERCALE_CORE_AUTODIFF_FUNCTION_GRADIENTS_H_

#include <map>
#include <tuple>

#include "core/graph/gradient.h"

namespace percale {

// Adds them to the graph of a builder, which it borrows. Each is made once.
class BackwardFunctions final : public FunctionGradients {
 public:
  explicit BackwardFunctions(Builder& builder) : builder_(builder) {}
  Result<std::string> backward(std::string_view function, const std::vector<bool>& given,
                               const std::vector<bool>& wanted) override;
  Result<std::vector<bool>> reached(std::string_view function, const std::vector<bool>& inputs) const override;

 private:
  using Key = std::tuple<std::string, std::vector<bool>, std::vector<bool>>;
  // The function, or, where it or one that it carries prints or asserts, a copy that does not: what is computed again for a
  // gradient must not say again what has been said. UNIMPLEMENTED for other effects.
  Result<std::string> quiet(std::string_view function);

  Builder& builder_;
  std::map<Key, std::string> made_;
  std::map<std::string, std::string, std::less<>> quiet_;
  size_t depth_ = 0;  // of both calling themselves for functions within functions
};

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_FUNCTION_GRADIENTS_H_

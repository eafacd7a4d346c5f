// Backward functions of the functions that If, Loop and Call carry.
#ifndef PERCALE_CORE_AUTODIFF_FUNCTION_GRADIENTS_H_
#define PERCALE_CORE_AUTODIFF_FUNCTION_GRADIENTS_H_

#include <map>
#include <tuple>

#include "core/graph/emit/gradient.h"

namespace percale {

// Adds backward functions to the graph of a builder, which it borrows. Each is made once.
class BackwardFunctions final : public FunctionGradients {
 public:
  explicit BackwardFunctions(Builder& builder) : builder_(builder) {}
  Result<std::string> backward(std::string_view function, const std::vector<bool>& given,
                               const std::vector<bool>& wanted) override;
  Result<std::vector<bool>> reached(std::string_view function, const std::vector<bool>& inputs) const override;

 private:
  using Key = std::tuple<std::string, std::vector<bool>, std::vector<bool>>;
  // Returns the function itself, or a copy without Print and Assert if it or a function that it
  // carries contains them, because recomputation for a gradient must not repeat them. UNIMPLEMENTED
  // for other effects.
  Result<std::string> quiet(std::string_view function);

  Builder& builder_;
  std::map<Key, std::string> made_;
  std::map<std::string, std::string, std::less<>> quiet_;
  size_t depth_ = 0;  // recursion depth of backward() and quiet() in nested functions
};

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_FUNCTION_GRADIENTS_H_

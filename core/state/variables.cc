#include "core/state/variables.h"

#include <algorithm>
#include <numeric>

#include "core/file/sha256.h"

namespace percale {
namespace {

Status check_value(const Variable& variable, const Tensor& value) {
  if (value.defined() && value.dtype() == variable.dtype && value.shape() == variable.shape) return {};
  return invalid_argument("variable '", variable.name, "': the value is ", value.dtype(), " ", value.shape(),
                          ", wanted ", variable.dtype, " ", variable.shape);
}

}  // namespace

Result<std::shared_ptr<Variables>> Variables::create(std::vector<Variable> variables, std::vector<Tensor> values) {
  if (variables.size() != values.size()) {
    return invalid_argument(static_cast<uint64_t>(variables.size()), " variables, but ",
                            static_cast<uint64_t>(values.size()), " values");
  }
  std::shared_ptr<Variables> out(new Variables);
  for (size_t i = 0; i < variables.size(); ++i) {
    PERCALE_RETURN_IF_ERROR(check_value(variables[i], values[i]));
    if (!out->index_.emplace(variables[i].name, static_cast<int32_t>(i)).second) {
      return Status(Code::kAlreadyExists, str_cat("two variables have the name '", variables[i].name, "'"));
    }
    variables[i].initial = Tensor();
  }
  out->variables_ = std::move(variables);
  out->current_ = std::make_shared<const VariablesVersion>(VariablesVersion{1, std::move(values)});
  return out;
}

int32_t Variables::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  return found == index_.end() ? -1 : found->second;
}

std::shared_ptr<const VariablesVersion> Variables::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

Result<std::shared_ptr<const VariablesVersion>> Variables::publish(
    const std::vector<std::pair<int32_t, Tensor>>& changes) {
  for (const auto& [index, value] : changes) {
    if (index < 0 || static_cast<size_t>(index) >= variables_.size()) return not_found("variable number ", index);
    PERCALE_RETURN_IF_ERROR(check_value(variables_[static_cast<size_t>(index)], value));
  }
  return publish(draft(), changes);
}

std::shared_ptr<const VariablesVersion> Variables::publish(
    std::shared_ptr<VariablesVersion> draft, const std::vector<std::pair<int32_t, Tensor>>& changes) noexcept {
  const std::lock_guard writer(writers_);
  // Another writer may have published meanwhile. The number of values is the same, so nothing is
  // allocated.
  *draft = *current();
  ++draft->number;
  for (const auto& [index, value] : changes) draft->values[static_cast<size_t>(index)] = value;
  std::shared_ptr<const VariablesVersion> out = std::move(draft), old = out;
  {
    const std::lock_guard lock(mutex_);
    current_.swap(old);
  }
  // The old version is destroyed here, outside the lock, unless a reader still holds it.
  return out;
}

std::string Variables::digest() const { return digest_of(variables_, current()->values); }

std::string digest_of(const std::vector<Variable>& variables, const std::vector<Tensor>& values) {
  std::vector<size_t> order(variables.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return variables[a].name < variables[b].name; });
  Sha256 hash;
  for (size_t i : order) {
    if (variables[i].slot) continue;
    // The header is unambiguous, because a name may hold any character but NUL.
    const std::string header =
        str_cat(variables[i].name, '\0', dtype_name(variables[i].dtype), '\0', variables[i].shape, '\0');
    hash.update(header.data(), header.size());
    hash.update(values[i].data(), static_cast<size_t>(values[i].bytes()));
  }
  return str_cat("sha256:", hash.hex());
}

}  // namespace percale

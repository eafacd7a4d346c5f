#include "core/checkpoint/transfer.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "core/base/similar_name.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/safetensors.h"
#include "core/file/file.h"
#include "core/registry/registry.h"

namespace percale {
namespace {

// Returns the part of a name that the '*' of a pattern matches ("" for a pattern without one), or
// nullopt if the pattern does not match.
std::optional<std::string_view> captured(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name ? std::optional<std::string_view>("") : std::nullopt;
  const std::string_view before = pattern.substr(0, star), behind = pattern.substr(star + 1);
  if (name.size() < before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind)) {
    return std::nullopt;
  }
  return name.substr(before.size(), name.size() - before.size() - behind.size());
}

const NameRule* rule_of(const std::vector<NameRule>& rules, std::string_view variable) {
  for (const NameRule& rule : rules) {
    if (captured(rule.to, variable)) return &rule;
  }
  return nullptr;
}

// The tensors of a file or a checkpoint by name. find() returns an undefined tensor for an unknown
// name.
class Source {
 public:
  Source() = default;
  explicit Source(std::shared_ptr<const Safetensors> file) : file_(std::move(file)) {}
  static Result<Source> open(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
    Source out;
    const bool is_step = is_checkpoint(path, pool.get());
    if (!is_step && path_kind(path) != PathKind::kFolder) {
      PERCALE_ASSIGN_OR_RETURN(out.file_, Safetensors::open(path, pool));
      return out;
    }
    std::string step = path;
    if (!is_step) {
      PERCALE_ASSIGN_OR_RETURN(step, newest_checkpoint(path));
    }
    PERCALE_ASSIGN_OR_RETURN(out.checkpoint_, read_checkpoint(step, pool));
    return out;
  }

  Result<Tensor> find(std::string_view name) const {
    if (file_ != nullptr) return file_->find(name) == nullptr ? Result<Tensor>(Tensor()) : file_->tensor(name);
    for (const auto& [key, tensor] : checkpoint_.tensors) {
      if (key == name) return tensor;
    }
    return Tensor();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    if (file_ != nullptr) {
      for (const auto& entry : file_->entries()) out.push_back(entry.name);
    }
    for (const auto& [name, tensor] : checkpoint_.tensors) out.push_back(name);
    return out;
  }

 private:
  std::shared_ptr<const Safetensors> file_;
  Checkpoint checkpoint_;
};

using Values = std::vector<std::pair<int32_t, Tensor>>;

// The values of variables by their number. `where` begins messages.
Result<Values> find_values(const Variables& variables, const Source& source, const std::string& where,
                           const std::vector<NameRule>& rules, bool strict) {
  const auto& all = variables.variables();
  Values out;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string name = source_name(rules, all[i].name);
    if (name.empty()) continue;
    PERCALE_ASSIGN_OR_RETURN(Tensor value, source.find(name));
    if (!value.defined()) {
      if ((!strict || all[i].slot) && rule_of(rules, all[i].name) == nullptr) continue;
      return not_found(where, ": no tensor '", name, "' in the file", did_you_mean(name, source.names()));
    }
    if (value.dtype() != all[i].dtype || !(value.shape() == all[i].shape)) {
      return invalid_argument(where, ": '", name, "' is ", value.dtype(), " ", value.shape(), ", wanted ", all[i].dtype,
                              " ", all[i].shape);
    }
    out.emplace_back(static_cast<int32_t>(i), std::move(value));
  }
  return out;
}

}  // namespace

std::string source_name(const std::vector<NameRule>& rules, std::string_view variable) {
  const NameRule* rule = rule_of(rules, variable);
  if (rule == nullptr) return std::string(variable);
  const size_t star = rule->from.find('*');
  if (star == std::string::npos) return rule->from;
  return str_cat(std::string_view(rule->from).substr(0, star), *captured(rule->to, variable),
                 std::string_view(rule->from).substr(star + 1));
}

Result<int64_t> load_variables(Variables& variables, const std::string& path, const std::vector<NameRule>& rules,
                               bool strict, const std::shared_ptr<MemoryPool>& pool) {
  for (const NameRule& rule : rules) {
    const auto stars = [](const std::string& text) { return std::count(text.begin(), text.end(), '*'); };
    if (stars(rule.to) > 1 || (stars(rule.from) != stars(rule.to) && !rule.from.empty())) {
      return invalid_argument("names '", rule.from, "' to '", rule.to, "': wanted one '*' in both names or in neither");
    }
  }
  PERCALE_ASSIGN_OR_RETURN(const Source source, Source::open(path, pool));
  PERCALE_ASSIGN_OR_RETURN(const Values changes, find_values(variables, source, path, rules, strict));
  PERCALE_RETURN_IF_ERROR(variables.publish(changes).status());
  return static_cast<int64_t>(changes.size());
}

Result<int64_t> load_variables(Variables& variables, const std::shared_ptr<Buffer>& bytes, bool strict) {
  PERCALE_ASSIGN_OR_RETURN(auto file, Safetensors::parse(bytes));
  PERCALE_ASSIGN_OR_RETURN(const Values changes,
                           find_values(variables, Source(std::move(file)), "the safetensors file", {}, strict));
  int64_t copied = 0;
  for (const auto& [index, value] : changes) {
    if (&value.buffer()->whole() != bytes.get()) copied += value.bytes();
  }
  PERCALE_RETURN_IF_ERROR(variables.publish(changes).status());
  return copied;
}

}  // namespace percale

// Cuts products with weights and lookups in tables into parts: which ones, in which form, and the
// nodes of the parts.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_SPLIT_PRODUCTS_H_
#define PERCALE_CORE_TRAIN_PARALLEL_SPLIT_PRODUCTS_H_

#include <functional>
#include <optional>
#include <vector>

#include "core/train/parallel/parallel_spec.h"
#include "core/train/parallel/split_values.h"

namespace percale {

struct SplitWeight;  // the weight or table that a node reads

// Chooses the products and tables to cut, by the rules of the SPEC or, without rules, by size, and
// adds their parts to the new function. Records which rules were applied.
class SplitProducts {
 public:
  // `by_rows` returns true for a variable that trains by rows. The arguments must outlive the
  // object.
  SplitProducts(SplitValues& values, const ParallelSpec& spec, const std::function<bool(const Variable&)>& by_rows);

  // INVALID_ARGUMENT for a rule that matches none of the nodes that are `used`.
  Status check_rules(const std::vector<bool>& used) const;
  // Adds the parts of a node if it is to be cut. Returns false for any other node, and adds
  // nothing. An error if a rule names the node and it cannot be cut as stated.
  Result<bool> cut(const Node& node);
  // After the last cut(): INVALID_ARGUMENT if a rule was not applied, or if nothing was cut.
  Status check_done() const;

 private:
  Status check_rule(const Node& node, const SplitWeight& w, const ParallelSpec::SplitRule& rule) const;
  std::optional<SplitForm> form_by_size(const Node& node, const SplitWeight& w) const;

  SplitValues& values_;
  const ParallelSpec& spec_;
  const std::function<bool(const Variable&)>& by_rows_;
  std::vector<bool> rule_done_;  // per rule of the SPEC
  bool cut_any_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_SPLIT_PRODUCTS_H_

// Nodes of every op that has a CPU kernel or a body, drawn at random. Most are wrong in some way.
#ifndef PERCALE_TESTS_FUZZ_OP_DRAFT_H_
#define PERCALE_TESTS_FUZZ_OP_DRAFT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry/registry.h"
#include "core/tensor/tensor.h"
#include "tests/ops/op_case.h"

namespace percale {

// Total limit of memory, so that an unchecked size is rejected at once.
inline constexpr int64_t kMemory = int64_t{16} << 20;

class Random {  // splitmix64: different seeds give unrelated sequences
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }
  bool one_in(size_t n) { return below(n) == 0; }
  template <class List>
  auto pick(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  uint64_t state_;
};

// A node before it is built.
struct Draft {
  const OpSchema* schema = nullptr;
  Attributes attributes;
  std::vector<Tensor> inputs;  // undefined: absent
  size_t outputs = 1;
};

// Returns a tensor over memory of exactly its size, so that a sanitizer detects accesses beyond it.
// Undefined if it needs more than the engine has.
Tensor exact_tensor(DType dtype, const Shape& shape);

class Drafts {
 public:
  // The rows are the op tables. Drafts start from them, and take their strings.
  Drafts(const Registry& registry, std::vector<OpCase> rows);

  size_t ops() const { return ops_.size(); }
  bool has(std::string_view op) const;

  // Draws a node of any op, or of `only` if it is not empty.
  Draft draw(std::string_view only, Random& random) const;

 private:
  Draft begin(const OpSchema& schema, Random& random) const;
  void change(Draft& draft, Random& random) const;
  AttrValue altered(const AttrValue& from, Random& random) const;
  AttrValue attribute(const AttrSpec& spec, Random& random) const;
  std::string text(Random& random) const;

  std::map<std::string, std::vector<OpCase>> rows_;
  std::vector<std::string> texts_;
  std::vector<const OpSchema*> ops_;
};

}  // namespace percale

#endif  // PERCALE_TESTS_FUZZ_OP_DRAFT_H_

#include "tests/fuzz/op_draft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/graph/graph.h"

namespace percale {
namespace {

constexpr int64_t kMaxElements = 4096;  // per input

constexpr std::array<int64_t, 16> kNumbers = {-1, 0,  1,  2,         3,         4,         5,         7,
                                              8,  -2, -3, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 1 << 20};

DType dtype_in(DTypeSet set, Random& random) {
  for (int i = 0; i < 40; ++i) {
    const auto dtype = static_cast<DType>(1 + random.below(static_cast<size_t>(kNumDTypes) - 1));
    if (set.contains(dtype) && dtype_bits(dtype) > 0) return dtype;
  }
  return DType::kF32;
}

Shape shape(Random& random) {
  static constexpr std::array<int64_t, 10> kDims = {0, 1, 1, 2, 2, 3, 3, 4, 5, 8};
  Shape out;
  const size_t rank = random.one_in(12) ? 5 + random.below(4) : random.below(5);
  for (size_t i = 0; i < rank; ++i) out.push_back(random.pick(kDims));
  return out;
}

Shape altered_shape(const Shape& from, Random& random) {
  std::vector<int64_t> dims(from.begin(), from.end());
  const size_t at = dims.empty() ? 0 : random.below(dims.size());
  switch (random.below(6)) {
    case 0: dims.clear(); break;
    case 1:
      if (!dims.empty()) dims[at] = 0;
      break;
    case 2:
      if (!dims.empty()) dims[at] = std::max<int64_t>(0, dims[at] + (random.one_in(2) ? 1 : -1));
      break;
    case 3:
      if (!dims.empty()) dims.erase(dims.begin() + static_cast<ptrdiff_t>(at));
      break;
    case 4: dims.insert(dims.begin() + static_cast<ptrdiff_t>(at), static_cast<int64_t>(random.below(4))); break;
    default:
      if (!dims.empty()) dims[at] = static_cast<int64_t>(random.below(20));
  }
  if (dims.size() > kMaxRank) dims.resize(kMaxRank);
  Shape out;
  for (int64_t d : dims) out.push_back(d);
  return out;
}

double number(Random& random) {
  static constexpr std::array<double, 12> kValues = {0,
                                                     -0.0,
                                                     1,
                                                     -1,
                                                     0.5,
                                                     1e-30,
                                                     1e30,
                                                     1e308,
                                                     -1e308,
                                                     std::numeric_limits<double>::infinity(),
                                                     -std::numeric_limits<double>::infinity(),
                                                     std::numeric_limits<double>::quiet_NaN()};
  return random.pick(kValues);
}

// Returns a tensor of extremes, of small numbers, or of numbers near a dim.
Tensor tensor(DType dtype, const Shape& shape, Random& random) {
  if (dtype_bits(dtype) == 0 || !shape.is_static() || !byte_size(dtype, shape).ok()) return {};
  if (shape.num_elements() > kMaxElements) return {};
  Tensor out = exact_tensor(dtype, shape);
  if (!out.defined()) return {};
  auto* bytes = static_cast<unsigned char*>(out.data());
  const auto size = static_cast<size_t>(out.bytes());
  const size_t mood = random.below(4);
  if (dtype == DType::kBool) {
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.below(2));
  } else if (dtype == DType::kF32 || dtype == DType::kF64) {
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      const double v =
          mood == 0 ? number(random) : static_cast<double>(random.below(2001)) / 1000 - (mood == 1 ? 1 : 0);
      if (dtype == DType::kF64) {
        out.mutable_span<double>()[static_cast<size_t>(i)] = v;
      } else {
        // A conversion that overflows is undefined in C++, so infinity is written explicitly.
        const bool large = std::abs(v) > static_cast<double>(std::numeric_limits<float>::max());
        out.mutable_span<float>()[static_cast<size_t>(i)] =
            large && !std::isinf(v)
                ? std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(v > 0 ? 1 : -1))
                : static_cast<float>(v);
      }
    }
  } else if (is_integer(dtype) && dtype_bits(dtype) >= 8 && mood != 3) {
    const auto width = static_cast<size_t>(dtype_bits(dtype) / 8);
    const auto near = static_cast<int64_t>(random.below(9));
    for (size_t i = 0; i + width <= size; i += width) {
      const int64_t v = mood == 0   ? random.pick(kNumbers)
                        : mood == 1 ? near + static_cast<int64_t>(random.below(3)) - 1
                                    : static_cast<int64_t>(random.below(4));
      std::memcpy(bytes + i, &v, width);  // little-endian: the low bytes
    }
  } else {
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.next());
  }
  return out;
}

}  // namespace

Tensor exact_tensor(DType dtype, const Shape& shape) {
  const auto bytes = byte_size(dtype, shape);
  if (!bytes.ok() || *bytes > kMemory) return {};
  void* memory = nullptr;
  if (posix_memalign(&memory, static_cast<size_t>(kAlignment), static_cast<size_t>(std::max<int64_t>(*bytes, 1))) !=
      0) {
    return {};
  }
  auto buffer = Buffer::wrap(
      memory, *bytes, [](void*, void* data) { std::free(data); }, nullptr);
  auto out = Tensor::view(std::move(buffer), 0, dtype, shape);
  return out.ok() ? *out : Tensor();
}

Drafts::Drafts(const Registry& registry, std::vector<OpCase> rows) {
  for (OpCase& row : rows) {
    rows_[row.op].push_back(row);
    for (const auto& [name, value] : row.attributes) {
      if (const auto* text = value.get_if<std::string>()) texts_.push_back(*text);
    }
  }
  for (const OpSchema* schema : registry.ops()) {
    if (schema->body != nullptr || !registry.kernels("cpu", *schema).empty()) ops_.push_back(schema);
  }
}

bool Drafts::has(std::string_view op) const {
  return std::any_of(ops_.begin(), ops_.end(), [&](const OpSchema* schema) { return op_name(*schema) == op; });
}

Draft Drafts::draw(std::string_view only, Random& random) const {
  const OpSchema* schema = random.pick(ops_);
  while (!only.empty() && op_name(*schema) != only) schema = random.pick(ops_);
  Draft draft = begin(*schema, random);
  if (!random.one_in(8)) {
    const size_t changes = 1 + random.below(3);
    for (size_t i = 0; i < changes; ++i) change(draft, random);
  }
  return draft;
}

// Starts from a row of the tables, which is valid, or from the schema alone.
Draft Drafts::begin(const OpSchema& schema, Random& random) const {
  const auto rows = rows_.find(op_name(schema));
  if (rows != rows_.end() && !random.one_in(6)) {
    const OpCase& row = rows->second[random.below(rows->second.size())];
    Draft out{&schema, row.attributes, {}, std::max<size_t>(1, row.expected.size())};
    for (const Tensor& t : row.inputs) out.inputs.push_back(t.num_elements() > kMaxElements ? Tensor() : t);
    return out;
  }
  Draft out{&schema, {}, {}, 1 + random.below(std::max<size_t>(1, schema.outputs.size()))};
  std::map<char, DType> groups;
  const Shape common = shape(random);
  size_t count = schema.inputs.size();
  if (schema.variadic()) count += random.below(3);
  for (size_t i = 0; i < count; ++i) {
    const InputSpec& spec = schema.input(i);
    if (spec.presence == Presence::kOptional && random.one_in(2)) {
      out.inputs.emplace_back();
      continue;
    }
    DType& dtype = groups[spec.group];
    if (spec.group == 0 || dtype == DType::kInvalid) dtype = dtype_in(spec.types, random);
    const Shape own = spec.bounds == Bounds::kShape ? Shape{static_cast<int64_t>(random.below(5))} : common;
    out.inputs.push_back(tensor(dtype, random.one_in(3) ? shape(random) : own, random));
  }
  for (const AttrSpec& spec : schema.attributes) {
    if (spec.required || random.one_in(3)) out.attributes.set(spec.name, attribute(spec, random));
  }
  return out;
}

void Drafts::change(Draft& draft, Random& random) const {
  const bool has_inputs = !draft.inputs.empty();
  const size_t at = has_inputs ? random.below(draft.inputs.size()) : 0;
  Tensor* input = has_inputs ? &draft.inputs[at] : nullptr;
  const OpSchema& schema = *draft.schema;
  switch (random.below(10)) {
    case 0:
      if (input != nullptr) *input = Tensor();
      break;
    case 1:
      if (input != nullptr) draft.inputs.erase(draft.inputs.begin() + static_cast<ptrdiff_t>(at));
      break;
    case 2: draft.inputs.push_back(tensor(dtype_in(dtypes::kAny, random), shape(random), random)); break;
    case 3:
    case 4:
      if (input != nullptr && input->defined())
        *input = tensor(input->dtype(), altered_shape(input->shape(), random), random);
      break;
    case 5:
      if (input != nullptr && input->defined()) *input = tensor(dtype_in(dtypes::kAny, random), input->shape(), random);
      break;
    case 6:  // other contents of the same type
      if (input != nullptr && input->defined()) *input = tensor(input->dtype(), input->shape(), random);
      break;
    case 7:
    case 8:
      if (!schema.attributes.empty()) {
        const AttrSpec& spec = schema.attributes[random.below(schema.attributes.size())];
        const AttrValue* now = draft.attributes.find(spec.name);
        if (random.one_in(6)) {
          draft.attributes.erase(spec.name);
        } else {
          draft.attributes.set(spec.name,
                               now != nullptr && random.one_in(2) ? altered(*now, random) : attribute(spec, random));
        }
      }
      break;
    default: draft.outputs = random.below(schema.outputs.size() + 2); break;
  }
}

AttrValue Drafts::altered(const AttrValue& from, Random& random) const {
  if (const auto* list = from.get_if<std::vector<int64_t>>()) {
    std::vector<int64_t> out = *list;
    const size_t at = out.empty() ? 0 : random.below(out.size());
    if (out.empty() || random.one_in(4)) {
      out.insert(out.begin() + static_cast<ptrdiff_t>(at), random.pick(kNumbers));
    } else if (random.one_in(4)) {
      out.erase(out.begin() + static_cast<ptrdiff_t>(at));
    } else {
      out[at] = random.pick(kNumbers);
    }
    return out;
  }
  if (from.get_if<int64_t>() != nullptr) return random.pick(kNumbers);
  if (from.get_if<double>() != nullptr) return number(random);
  if (from.get_if<std::string>() != nullptr) return text(random);
  if (const auto* tensor_value = from.get_if<Tensor>()) return tensor(tensor_value->dtype(), shape(random), random);
  return from;
}

AttrValue Drafts::attribute(const AttrSpec& spec, Random& random) const {
  switch (random.one_in(20) ? static_cast<AttrKind>(1 + random.below(8)) : spec.kind) {
    case AttrKind::kFloat: return number(random);
    case AttrKind::kInt: return random.pick(kNumbers);
    case AttrKind::kString: return text(random);
    case AttrKind::kTensor: return tensor(dtype_in(dtypes::kAny, random), shape(random), random);
    case AttrKind::kFunction: return FunctionRef{"main"};
    case AttrKind::kFloats: return std::vector<double>{number(random)};
    case AttrKind::kStrings: return std::vector<std::string>{text(random)};
    default: break;
  }
  std::vector<int64_t> out(random.below(5));
  for (int64_t& v : out) v = random.pick(kNumbers);
  return out;
}

std::string Drafts::text(Random& random) const {
  return texts_.empty() || random.one_in(8) ? "nonsense" : random.pick(texts_);
}

}  // namespace percale

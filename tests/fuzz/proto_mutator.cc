// Mutates a protocol-buffer message as a message: fields are removed, duplicated, moved, renumbered
// and changed, while all lengths stay correct. So inputs reach the code behind the parser.
// libFuzzer and driver.cc call it; both provide their own mutations of bytes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr int kMaxDepth = 20;

struct Field {
  uint32_t number = 0, wire = 0;
  uint64_t bits = 0;          // wire types 0, 1 and 5
  std::string bytes;          // wire type 2, if it is not a message
  bool is_message = false;    // wire type 2 that parses as a message
  std::vector<Field> fields;  // of a message
};
using Fields = std::vector<Field>;

std::optional<uint64_t> read_varint(std::string_view& in) {
  uint64_t out = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(in[0]);
    in.remove_prefix(1);
    out |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return out;
  }
  return std::nullopt;
}

std::optional<Fields> parse(std::string_view in, int depth) {
  Fields out;
  while (!in.empty()) {
    const auto tag = read_varint(in);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > 64) return std::nullopt;
    Field& field = out.emplace_back();
    field.number = static_cast<uint32_t>(*tag >> 3);
    field.wire = static_cast<uint32_t>(*tag & 7);
    const size_t width = field.wire == 1 ? 8 : 4;
    if (field.wire == 0) {
      const auto value = read_varint(in);
      if (!value) return std::nullopt;
      field.bits = *value;
    } else if (field.wire == 1 || field.wire == 5) {
      if (in.size() < width) return std::nullopt;
      std::memcpy(&field.bits, in.data(), width);
      in.remove_prefix(width);
    } else if (field.wire == 2) {
      const auto length = read_varint(in);
      if (!length || *length > in.size()) return std::nullopt;
      const std::string_view inner = in.substr(0, static_cast<size_t>(*length));
      in.remove_prefix(inner.size());
      auto fields = depth < kMaxDepth && inner.size() > 1 ? parse(inner, depth + 1) : std::nullopt;
      field.is_message = fields.has_value();
      if (fields) {
        field.fields = std::move(*fields);
      } else {
        field.bytes = inner;
      }
    } else {
      return std::nullopt;
    }
  }
  return out;
}

void write_varint(std::string& out, uint64_t value) {
  for (; value > 0x7F; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::string encode(const Fields& fields) {
  std::string out;
  for (const Field& field : fields) {
    write_varint(out, uint64_t{field.number} << 3 | field.wire);
    if (field.wire == 0) {
      write_varint(out, field.bits);
    } else if (field.wire == 2) {
      const std::string inner = field.is_message ? encode(field.fields) : field.bytes;
      write_varint(out, inner.size());
      out += inner;
    } else {
      out.append(reinterpret_cast<const char*>(&field.bits), field.wire == 1 ? 8 : 4);
    }
  }
  return out;
}

class Mutator {
 public:
  Mutator(Fields& root, uint64_t seed) : root_(root), state_(seed * 0x9E3779B97F4A7C15U + 1) {}

  void run() {
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
      places_.clear();
      collect(root_);
      if (places_.empty()) return;
      change();
    }
  }

 private:
  struct Place {
    Fields* parent;
    size_t index;
    Field& field() const { return (*parent)[index]; }
  };

  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717U;
  }
  size_t below(size_t n) { return static_cast<size_t>((next() >> 16) % n); }

  void collect(Fields& fields) {
    for (size_t i = 0; i < fields.size(); ++i) {
      places_.push_back({&fields, i});
      collect(fields[i].fields);
    }
  }

  Place any() { return places_[below(places_.size())]; }

  void insert(Fields& fields, Field copy) {
    fields.insert(fields.begin() + static_cast<ptrdiff_t>(below(fields.size() + 1)), std::move(copy));
  }

  void change() {
    const Place at = any();
    switch (below(9)) {
      case 0: at.parent->erase(at.parent->begin() + static_cast<ptrdiff_t>(at.index)); break;
      case 1: insert(*at.parent, at.field()); break;
      case 2: insert(*any().parent, Field(at.field())); break;
      case 3: std::swap(at.field(), (*at.parent)[below(at.parent->size())]); break;
      case 4: at.field().number = static_cast<uint32_t>(1 + below(26)); break;
      case 5: {  // another field's value: a name, a dim, a type, a graph
        const Field other = any().field();
        if (other.wire == at.field().wire) {
          const uint32_t number = at.field().number;
          at.field() = other;
          at.field().number = number;
        }
        break;
      }
      default: change_value(at.field()); break;
    }
  }

  void change_value(Field& field) {
    static constexpr std::array<uint64_t, 16> kNumbers = {
        0,          1,  2,     3, 5, 7, 8, 13, 0x7FFFFFFF, 0x80000000, uint64_t{1} << 40, INT64_MAX, uint64_t{1} << 63,
        UINT64_MAX, 64, 0xFFFF};
    if (field.wire != 2) {
      field.bits = below(3) == 0 ? field.bits + (below(2) == 0 ? 1 : UINT64_MAX) : kNumbers[below(kNumbers.size())];
      return;
    }
    if (field.is_message) return;
    std::string bytes = field.bytes;
    bytes.resize(field.bytes.size() + 64);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), field.bytes.size(), bytes.size()));
    field.bytes = std::move(bytes);
  }

  Fields& root_;
  std::vector<Place> places_;
  uint64_t state_;
};

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  auto fields = parse({reinterpret_cast<const char*>(data), size}, 0);
  if (!fields || fields->empty() || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Mutator(*fields, seed).run();
  const std::string out = encode(*fields);
  if (out.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, out.data(), out.size());
  return out.size();
}

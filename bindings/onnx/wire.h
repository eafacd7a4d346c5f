// Protocol-buffer messages as views of bytes. wire.cc alone knows the library that reads them.
#ifndef PERCALE_BINDINGS_ONNX_WIRE_H_
#define PERCALE_BINDINGS_ONNX_WIRE_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace percale_onnx {

enum class Wire : uint8_t { kVarint, kFixed64, kBytes, kFixed32 };

// One field of a message. `bytes` views the message.
struct Field {
  uint32_t number = 0;
  Wire wire = Wire::kVarint;
  uint64_t bits = 0;       // of all kinds but kBytes
  std::string_view bytes;  // of kBytes

  bool is(uint32_t wanted_number, Wire wanted) const { return number == wanted_number && wire == wanted; }
  int64_t integer() const { return static_cast<int64_t>(bits); }
  float real() const;  // of a kFixed32
};

// Walks over the fields of a message; the bytes must outlive it. Reads nothing outside of them, allocates nothing.
class Message {
 public:
  explicit Message(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  // False at the end, and where the bytes are no message.
  bool next(Field& field);
  // False after bytes that are no message.
  bool ok() const { return ok_; }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

// The numbers of a repeated field of integers, in the packed form or one by one. False for bytes that are none.
bool append_integers(const Field& field, std::vector<int64_t>& out);
// The same for floats.
bool append_floats(const Field& field, std::vector<double>& out);
// Walks over the numbers of a packed field of varints.
class Varints {
 public:
  explicit Varints(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool next(uint64_t& value);
  bool ok() const { return ok_; }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_WIRE_H_

// Reads protocol-buffer messages as views of their bytes, and writes them. Only wire.cc includes
// protozero.
#ifndef PERCALE_BINDINGS_ONNX_PROTO_WIRE_H_
#define PERCALE_BINDINGS_ONNX_PROTO_WIRE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace percale_onnx {

enum class Wire : uint8_t { kVarint, kFixed64, kBytes, kFixed32 };

// One field of a message. `bytes` views the message.
struct Field {
  uint32_t number = 0;
  Wire wire = Wire::kVarint;
  uint64_t bits = 0;       // the value, unless `wire` is kBytes
  std::string_view bytes;  // the value if `wire` is kBytes

  bool is(uint32_t wanted_number, Wire wanted) const { return number == wanted_number && wire == wanted; }
  int64_t integer() const { return static_cast<int64_t>(bits); }
  float real() const;  // requires kFixed32
};

// Iterates over the fields of a message, whose bytes must outlive it. Never reads outside of them,
// and allocates nothing.
class Message {
 public:
  explicit Message(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  // Returns false at the end, and at bytes that are not a field.
  bool next(Field& field);
  // Returns false after next() has met bytes that are not a field.
  bool ok() const { return ok_; }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

// Appends the numbers of a repeated field of integers, packed or single. Returns false for invalid
// bytes.
bool append_integers(const Field& field, std::vector<int64_t>& out);
// The same for floats.
bool append_floats(const Field& field, std::vector<double>& out);
// Iterates over the numbers of a packed field of varints.
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

// Writes a message field by field. It can borrow bytes, so that elements of large tensors are not
// copied.
class MessageWriter {
 public:
  void integer(uint32_t field, int64_t value);
  void real(uint32_t field, float value);
  void bytes(uint32_t field, std::string_view value);
  // `value` must outlive the last call of write().
  void lent_bytes(uint32_t field, std::string_view value);
  void message(uint32_t field, MessageWriter inner);

  uint64_t size() const { return size_ + tail_.size(); }
  void write(const std::function<void(std::string_view)>& to) const;

 private:
  struct Piece {
    std::string own;
    std::string_view lent;  // follows `own`
  };
  void begin_bytes(uint32_t field, uint64_t size);
  void end_piece(std::string_view lent);

  std::vector<Piece> pieces_;
  std::string tail_;   // the bytes after the pieces
  uint64_t size_ = 0;  // bytes of the pieces
};

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_PROTO_WIRE_H_

// Protocol-buffer messages, read as views of bytes and written. wire.cc alone knows the library
// that does it.
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
  uint64_t bits = 0;       // of all kinds but kBytes
  std::string_view bytes;  // of kBytes

  bool is(uint32_t wanted_number, Wire wanted) const { return number == wanted_number && wire == wanted; }
  int64_t integer() const { return static_cast<int64_t>(bits); }
  float real() const;  // of a kFixed32
};

// Walks over the fields of a message; the bytes must outlive it. Reads nothing outside of them,
// allocates nothing.
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

// The numbers of a repeated field of integers, in the packed form or one by one. False for bytes
// that are none.
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

// A message that is being written, field by field. Bytes may be lent to it, so that the elements of
// large tensors are copied nowhere.
class MessageWriter {
 public:
  void integer(uint32_t field, int64_t value);
  void real(uint32_t field, float value);
  void bytes(uint32_t field, std::string_view value);
  // The bytes must live until the message was written.
  void lent_bytes(uint32_t field, std::string_view value);
  void message(uint32_t field, MessageWriter inner);

  uint64_t size() const { return size_ + tail_.size(); }
  void write(const std::function<void(std::string_view)>& to) const;

 private:
  struct Piece {
    std::string own;
    std::string_view lent;  // behind it
  };
  void begin_bytes(uint32_t field, uint64_t size);
  void end_piece(std::string_view lent);

  std::vector<Piece> pieces_;
  std::string tail_;   // what comes behind the pieces
  uint64_t size_ = 0;  // of the pieces
};

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_PROTO_WIRE_H_

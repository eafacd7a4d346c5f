// A message that has arrived.
#ifndef PERCALE_DEVICES_REMOTE_NET_MESSAGE_H_
#define PERCALE_DEVICES_REMOTE_NET_MESSAGE_H_

#include <cstddef>
#include <memory>
#include <utility>

namespace percale::remote {

// Read from front to back, each byte once.
class Message {
 public:
  // The memory of the message, which each transport keeps in its own way.
  class Bytes {
   public:
    virtual ~Bytes() = default;
    virtual size_t left() const = 0;
    virtual void read(void* to, size_t bytes) = 0;
  };
  explicit Message(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)) {}

  // The number of bytes that were not read yet.
  size_t left() const { return bytes_->left(); }
  // Precondition: left() >= bytes.
  void read(void* to, size_t bytes) { bytes_->read(to, bytes); }

 private:
  std::unique_ptr<Bytes> bytes_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_MESSAGE_H_

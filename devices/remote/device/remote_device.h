// A device of another process, as the library's engine uses it.
#ifndef PERCALE_DEVICES_REMOTE_DEVICE_REMOTE_DEVICE_H_
#define PERCALE_DEVICES_REMOTE_DEVICE_REMOTE_DEVICE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "devices/remote/device/heart.h"
#include "devices/remote/device/queue.h"

namespace percale::remote {

// The remote devices of one copy of the library. Never destroyed.
class RemoteDevices {
 public:
  explicit RemoteDevices(const percale_host_api& host);

  const percale_host_api& host() const { return host_; }
  Checksum checksum() const { return host_.tensor->crc32c; }
  const percale_device_api& api() const { return api_; }
  // Beats as long as a device holds it.
  std::shared_ptr<Heart> heart();

 private:
  const percale_host_api& host_;
  percale_device_api api_;
  std::mutex mutex_;  // guards the next one
  std::weak_ptr<Heart> heart_;
};

// A session that has opened a device. The streams end when `open_stream` is destroyed.
struct OpenedDevice {
  std::shared_ptr<Session> session;
  OpenStream open_stream;
};

// The functions that the kit asks for, see percale::plugin::device_of().
class RemoteDevice {
 public:
  using Owner = RemoteDevices;
  struct Stream {
    RemoteDevice* device;
    std::shared_ptr<Queue> queue;
  };
  struct Executable {
    ~Executable() { device->discard(number); }
    RemoteDevice* device;
    uint64_t number;
    size_t inputs, outputs;
  };

  // Throws: a remote device has an address and no index.
  RemoteDevice(RemoteDevices& devices, int32_t index, const percale_device_options& options);
  RemoteDevice(RemoteDevices& devices, OpenedDevice opened);
  ~RemoteDevice() { opened_.session->leave(); }
  RemoteDevice(const RemoteDevice&) = delete;
  RemoteDevice& operator=(const RemoteDevice&) = delete;

  const percale_host_api& host() const { return devices_.host(); }
  static int32_t probe(RemoteDevices& devices, const char** out_reason);
  percale_device_description describe() const;
  bool lost() const { return opened_.session->is_lost(); }

  void* allocate(uint64_t bytes);
  void free(void* memory);
  void memory_stats(uint64_t* out_used, uint64_t* out_peak) const;

  static RemoteDevice& device_of(Stream& stream) { return *stream.device; }
  Stream* make_stream();
  static void destroy_stream(Stream* stream);
  void synchronize(Stream& stream) { stream.queue->synchronize(); }
  void signal(Stream& stream, Queue::Reached reached, void* event, uint64_t value) {
    stream.queue->signal(reached, event, value);
  }
  void copy_from_host(Stream* stream, void* to, const void* from, uint64_t bytes);
  void copy_to_host(Stream* stream, void* to, const void* from, uint64_t bytes);

  static RemoteDevice& device_of(Executable& executable) { return *executable.device; }
  static void operand_counts(const Executable& executable, uint64_t* out_inputs, uint64_t* out_outputs) {
    *out_inputs = executable.inputs;
    *out_outputs = executable.outputs;
  }
  Executable* compile(const void* graph, uint64_t bytes);
  void execute(Executable& executable, Stream* stream, void* const* inputs, void* const* outputs);

 private:
  std::shared_ptr<Queue> open_queue();
  // Calls f(queue): with that of the stream, or with one of this device's own until it is done.
  template <class F>
  void enqueue(Stream* stream, F&& f);
  void discard(uint64_t executable);
  // The table T of an answer. Throws the error that was answered instead.
  template <class T>
  const T& expect(const Frame& answer) const;

  RemoteDevices& devices_;
  const OpenedDevice opened_;
  const std::shared_ptr<Heart> heart_;
  std::string model_;
  percale_device_description description_{};
  uint64_t secret_ = 0;
  std::mutex synchronous_;  // held during a command without a stream
  std::shared_ptr<Queue> own_queue_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<void*, uint64_t> blocks_;
  uint64_t used_ = 0, peak_ = 0;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_DEVICE_REMOTE_DEVICE_H_

// Memory that two processes of one machine share.
#ifndef PERCALE_DEVICES_REMOTE_BULK_SHARED_MEMORY_H_
#define PERCALE_DEVICES_REMOTE_BULK_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace percale::remote {

// It has no name in any file system, so that the kernel frees it with the last process that has it.
// Its size cannot change, so that access to it raises no signal.
class SharedMemory {
 public:
  // Zeros. Null if the system gives none.
  static std::unique_ptr<SharedMemory> make(size_t bytes);
  // The memory that another process has made, under its file descriptor. Null if it is not reached,
  // or is not such memory of that size. The numbers may be any: nothing else is opened.
  static std::unique_ptr<SharedMemory> open(uint32_t process, uint32_t handle, size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  // The file descriptor, until hide().
  uint32_t handle() const { return static_cast<uint32_t>(handle_); }
  // Closes the file descriptor. No other process can open the memory any more.
  void hide();
  // Takes all pages from the system, so that none is missing later. False: there are too few.
  bool reserve() const;

 private:
  SharedMemory(int handle, size_t bytes, std::byte* data) : handle_(handle), bytes_(bytes), data_(data) {}
  static std::unique_ptr<SharedMemory> map(int handle, size_t bytes);

  int handle_;
  const size_t bytes_;
  std::byte* const data_;
};

// The number of this process, as other processes of the machine know it.
uint32_t own_process();

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_BULK_SHARED_MEMORY_H_

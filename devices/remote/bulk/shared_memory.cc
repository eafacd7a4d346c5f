#include "devices/remote/bulk/shared_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <new>
#include <string>
#include <utility>

namespace percale::remote {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// A file descriptor that closes itself.
class Handle {
 public:
  explicit Handle(int number) : number_(number) {}
  ~Handle() {
    if (number_ >= 0) ::close(number_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// A process that exceeds its limit of file sizes gets a signal.
bool may_make(size_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

// Other kinds of memory files may lack pages when they are touched.
bool is_plain_memory(int handle, size_t bytes) {
  struct stat found;
  struct statfs system;
  return fstat(handle, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == static_cast<off_t>(bytes) &&
         fstatfs(handle, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::map(int handle, size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
  if (data == MAP_FAILED) return nullptr;
  madvise(data, bytes, MADV_DONTFORK);
  std::unique_ptr<SharedMemory> out(new (std::nothrow) SharedMemory(-1, bytes, static_cast<std::byte*>(data)));
  if (out == nullptr) munmap(data, bytes);
  return out;
}

std::unique_ptr<SharedMemory> SharedMemory::make(size_t bytes) {
  if (!may_make(bytes)) return nullptr;
  Handle file(memfd_create("percale", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number() < 0 || ftruncate(file.number(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.number(), F_ADD_SEALS, kSeals) != 0) {
    return nullptr;
  }
  auto out = map(file.number(), bytes);
  if (out != nullptr) out->handle_ = file.release();
  return out;
}

std::unique_ptr<SharedMemory> SharedMemory::open(uint32_t process, uint32_t handle, size_t bytes) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(handle);
  // To open a device or a pipe could wait or change something. O_PATH opens nothing yet.
  const Handle found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (found.number() < 0 || !is_plain_memory(found.number(), bytes)) return nullptr;
  const Handle file(::open(("/proc/self/fd/" + std::to_string(found.number())).c_str(), O_RDWR | O_CLOEXEC));
  if (file.number() < 0) return nullptr;
  const int seals = fcntl(file.number(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return nullptr;
  return map(file.number(), bytes);
}

SharedMemory::~SharedMemory() {
  munmap(data_, bytes_);
  hide();
}

void SharedMemory::hide() {
  if (handle_ >= 0) ::close(std::exchange(handle_, -1));
}

bool SharedMemory::reserve() const {
  return may_make(bytes_) && fallocate(handle_, 0, 0, static_cast<off_t>(bytes_)) == 0;
}

uint32_t own_process() { return static_cast<uint32_t>(getpid()); }

}  // namespace percale::remote

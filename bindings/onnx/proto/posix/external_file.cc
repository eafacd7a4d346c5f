#include "bindings/onnx/proto/external_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace percale_onnx {
namespace {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(-1); }
  void reset(int value) {
    if (value_ >= 0) close(value_);
    value_ = value;
  }
  int get() const { return value_; }
  int take() { return std::exchange(value_, -1); }

 private:
  int value_;
};

}  // namespace

ExternalFile::~ExternalFile() {
  if (handle_ >= 0) close(static_cast<int>(handle_));
}

// Opens the path folder by folder without following links, so that no name leads out of the folder.
Status ExternalFile::open(const char* folder, std::string_view location) {
  Descriptor at(::open(*folder == '\0' ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0) return external_error("open", folder, errno);
  for (size_t begin = 0; begin < location.size();) {
    const size_t slash = std::min(location.find('/', begin), location.size());
    const std::string part(location.substr(begin, slash - begin));
    begin = slash + 1;
    if (part.empty() || part == ".") continue;
    const bool last = begin > location.size();
    // O_NONBLOCK, because opening a pipe would block.
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (last ? O_NONBLOCK : O_DIRECTORY);
    const int next = openat(at.get(), part.c_str(), flags);
    if (next < 0) return external_error("open", location, errno);
    at.reset(next);
  }
  struct stat facts {};
  if (fstat(at.get(), &facts) != 0) return external_error("stat", location, errno);
  if (!S_ISREG(facts.st_mode)) return bad("external data ", quoted(location), ": not a regular file");
  location_ = location;
  handle_ = at.take();
  size_ = static_cast<uint64_t>(facts.st_size);
  return {};
}

Status ExternalFile::read(uint64_t offset, void* to, uint64_t bytes, uint64_t* out_read) {
  for (;;) {
    const ssize_t got = pread(static_cast<int>(handle_), to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    *out_read = got > 0 ? static_cast<uint64_t>(got) : 0;
    return got < 0 ? external_error("read", location_, errno) : Status();
  }
}

std::string_view forbidden_characters() { return {}; }

}  // namespace percale_onnx

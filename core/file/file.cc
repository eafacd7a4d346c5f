#include "core/file/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/file/host_files.h"

namespace percale {
namespace {

Code code_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return Code::kPermissionDenied;
    case EEXIST:
    case ENOTEMPTY: return Code::kAlreadyExists;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EFBIG: return Code::kResourceExhausted;
    default: return Code::kUnavailable;
  }
}

// strerror_r() has two signatures, depending on the C library.
[[maybe_unused]] const char* message_of(int result, const char* text) { return result == 0 ? text : "unknown error"; }
[[maybe_unused]] const char* message_of(const char* result, const char*) { return result; }

Status check_path(const std::string& path) {
  if (!path.empty() && path.find('\0') == std::string::npos) return {};
  return invalid_argument("a path must not be empty or contain a NUL: '", path.c_str(), "'");
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

int open_retrying(const char* path, int flags, mode_t mode = 0) {
  int fd;
  do {
    fd = open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

int sync_retrying(int fd) {
  int result;
  do {
    result = fsync(fd);
  } while (result != 0 && errno == EINTR);
  return result;
}

struct OpenFile {
  Descriptor descriptor;
  int64_t bytes;
  dev_t device = 0;
  ino_t inode = 0;
};

// O_NONBLOCK prevents open() from waiting for the writer of a named pipe.
Result<OpenFile> open_regular(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  OpenFile file{Descriptor(open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK)), 0};
  if (file.descriptor.get() < 0) return system_error("open", path, errno);
  struct stat info {};
  if (fstat(file.descriptor.get(), &info) != 0) return system_error("stat", path, errno);
  if (!S_ISREG(info.st_mode)) return invalid_argument("open '", path, "': this is not a regular file");
  file.bytes = info.st_size;
  file.device = info.st_dev;
  file.inode = info.st_ino;
  return file;
}

struct Mapping {
  Mapping() = default;
  ~Mapping() {
    if (data != MAP_FAILED) munmap(data, bytes);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void* data = MAP_FAILED;
  size_t bytes = 0;
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
};

void end_mapping(void* mapping, void*) { delete static_cast<Mapping*>(mapping); }

}  // namespace

Status system_error(const char* call, const std::string& path, int error) {
  char text[128] = "";
  return make_error(code_of(error), {call, " '", path, "': ", message_of(strerror_r(error, text, sizeof text), text)});
}

// Returns the number of bytes read. It is less than file.bytes if the file was truncated meanwhile.
Result<int64_t> read_all(const OpenFile& file, const std::string& path, char* out) {
  int64_t done = 0;
  while (done < file.bytes) {
    const ssize_t got = read(file.descriptor.get(), out + done, static_cast<size_t>(file.bytes - done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", path, errno);
    if (got == 0) break;
    done += got;
  }
  return done;
}

Result<std::string> read_file(const std::string& path, int64_t max_bytes) {
  PERCALE_ASSIGN_OR_RETURN(OpenFile file, open_regular(path));
  // A sparse file may claim more bytes than a string can hold.
  constexpr int64_t kMost = int64_t{1} << 40;
  if (file.bytes > std::min(max_bytes, kMost)) {
    return resource_exhausted("read '", path, "': ", file.bytes, " bytes, the limit is ", std::min(max_bytes, kMost));
  }
  std::string out(static_cast<size_t>(file.bytes), '\0');
  PERCALE_ASSIGN_OR_RETURN(const int64_t done, read_all(file, path, out.data()));
  out.resize(static_cast<size_t>(done));
  return out;
}

Result<std::string> read_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool, int64_t max_bytes) {
  if (!is_host_path(path, pool.get())) return read_file(path, max_bytes);
  PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, host_file_size(path, *pool));
  if (bytes > max_bytes) return resource_exhausted(path, ": ", bytes, " bytes, the limit is ", max_bytes);
  std::string out(static_cast<size_t>(bytes), '\0');
  PERCALE_RETURN_IF_ERROR(read_host_file(path, *pool, 0, out.data(), bytes));
  return out;
}

Result<std::shared_ptr<Buffer>> map_file(const std::string& path) {
  PERCALE_ASSIGN_OR_RETURN(OpenFile file, open_regular(path));
  if (file.bytes == 0) {  // mmap refuses empty files
    static constexpr char kEmpty[1] = {};
    return Buffer::wrap(const_cast<char*>(kEmpty), 0, nullptr, nullptr);
  }
  auto mapping = std::make_unique<Mapping>();
  mapping->bytes = static_cast<size_t>(file.bytes);
  mapping->path = path;
  mapping->device = file.device;
  mapping->inode = file.inode;
  mapping->data = mmap(nullptr, mapping->bytes, PROT_READ, MAP_PRIVATE, file.descriptor.get(), 0);
  if (mapping->data == MAP_FAILED) return system_error("map", path, errno);
  auto buffer = Buffer::wrap(mapping->data, file.bytes, end_mapping, mapping.get());
  static_cast<void>(mapping.release());  // the buffer's deleter frees it
  return buffer;
}

Status check_mapping(const Buffer& buffer) {
  const Buffer& whole = buffer.whole();
  if (!whole.ends_with(end_mapping)) return {};
  const auto& mapping = *static_cast<const Mapping*>(whole.user());
  struct stat info {};
  // If another file now has this path, the mapped file still exists unchanged.
  if (stat(mapping.path.c_str(), &info) != 0 || info.st_dev != mapping.device || info.st_ino != mapping.inode)
    return {};
  const auto bytes = static_cast<int64_t>(mapping.bytes);
  if (info.st_size >= bytes) return {};
  return data_loss("'", mapping.path, "' had ", bytes, " bytes when it was opened and now has ", int64_t{info.st_size},
                   ": a mapped file must not be truncated while it is in use; replace it by renaming, or read it into "
                   "memory (map_files=off)");
}

Result<std::shared_ptr<Buffer>> load_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  if (is_host_path(path, pool.get())) return load_host_file(path, pool);
  if (pool == nullptr || pool->maps_files()) return map_file(path);
  PERCALE_ASSIGN_OR_RETURN(const OpenFile file, open_regular(path));
  PERCALE_ASSIGN_OR_RETURN(auto out, Buffer::allocate(pool, file.bytes));
  PERCALE_ASSIGN_OR_RETURN(const int64_t done, read_all(file, path, static_cast<char*>(out->data())));
  if (done < file.bytes) return data_loss("read '", path, "': the file was truncated while it was read");
  return out;
}

void rest_mapping(const Buffer& buffer, const void* data, int64_t bytes) {
  if (!buffer.whole().ends_with(end_mapping)) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + page - 1) / page * page, end = (begin + static_cast<uintptr_t>(bytes)) / page * page;
  // The pages are read-only, so dropping them loses no data.
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {}

AtomicFile::AtomicFile(AtomicFile&& o) noexcept
    : path_(std::move(o.path_)), temporary_(std::move(o.temporary_)), descriptor_(std::exchange(o.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  constexpr int kAttempts = 1000;  // for names taken by other writers or left by a crash
  AtomicFile file(path);
  for (int i = 0;; ++i) {
    file.temporary_ = str_cat(path, ".tmp-", static_cast<int64_t>(getpid()), "-", i);
    file.descriptor_ = open_retrying(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file.descriptor_ >= 0) return file;
    if (errno != EEXIST || i == kAttempts) return system_error("create", path, errno);
  }
}

Status AtomicFile::write(const void* data, int64_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t put = ::write(descriptor_, next, static_cast<size_t>(bytes));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_error("write", path_, errno);
    next += put;
    bytes -= put;
  }
  return {};
}

Status AtomicFile::commit() {
  if (sync_retrying(descriptor_) != 0) return system_error("fsync", path_, errno);
  // Some file systems report a failed write only in close().
  if (const int fd = std::exchange(descriptor_, -1); close(fd) != 0 && errno != EINTR) {
    const Status status = system_error("close", path_, errno);
    unlink(temporary_.c_str());
    return status;
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    const Status status = system_error("rename to", path_, errno);
    unlink(temporary_.c_str());
    return status;
  }
  return sync_folder(parent_folder(path_));
}

Status write_file(const std::string& path, std::string_view bytes) {
  PERCALE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  PERCALE_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}

PathKind path_kind(const std::string& path) {
  struct stat info {};
  if (!check_path(path).ok() || stat(path.c_str(), &info) != 0) return PathKind::kNothing;
  if (S_ISREG(info.st_mode)) return PathKind::kFile;
  return S_ISDIR(info.st_mode) ? PathKind::kFolder : PathKind::kOther;
}

Status create_folders(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0777) != 0) {
      const int error = errno;
      // Another process may create the folder at the same time, or an existing parent folder may
      // not be writable.
      if (path_kind(part) != PathKind::kFolder) return system_error("create folder", part, error);
    }
    if (end == std::string::npos) return {};
  }
}

Result<std::vector<std::string>> list_folder(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), &closedir);
  if (folder == nullptr) return system_error("list", path, errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return system_error("list", path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

Status rename_path(const std::string& from, const std::string& to) {
  PERCALE_RETURN_IF_ERROR(check_path(from));
  PERCALE_RETURN_IF_ERROR(check_path(to));
  if (rename(from.c_str(), to.c_str()) != 0) return system_error(str_cat("rename '", from, "' to").c_str(), to, errno);
  return {};
}

Status remove_file(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  if (unlink(path.c_str()) != 0) return system_error("remove", path, errno);
  return {};
}

Status remove_tree(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  struct Pending {
    std::string path;
    bool emptied;
  };
  std::vector<Pending> stack{{path, false}};
  while (!stack.empty()) {
    const Pending top = stack.back();
    if (top.emptied) {
      if (rmdir(top.path.c_str()) != 0 && errno != ENOENT) return system_error("remove", top.path, errno);
      stack.pop_back();
      continue;
    }
    struct stat info {};
    if (lstat(top.path.c_str(), &info) != 0) {
      if (errno != ENOENT) return system_error("remove", top.path, errno);
      stack.pop_back();
    } else if (!S_ISDIR(info.st_mode)) {
      if (unlink(top.path.c_str()) != 0 && errno != ENOENT) return system_error("remove", top.path, errno);
      stack.pop_back();
    } else {
      stack.back().emptied = true;
      PERCALE_ASSIGN_OR_RETURN(const auto names, list_folder(top.path));
      for (const std::string& name : names) stack.push_back({join_path(top.path, name), false});
    }
  }
  return {};
}

Status sync_folder(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  const Descriptor folder(open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.get() < 0) return system_error("open", path, errno);
  // Some file systems return EINVAL for fsync on a folder because they have nothing to sync.
  if (sync_retrying(folder.get()) != 0 && errno != EINVAL) return system_error("fsync", path, errno);
  return {};
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || (!name.empty() && name[0] == '/')) return std::string(name);
  if (name.empty()) return std::string(folder);
  return str_cat(folder, folder.back() == '/' || folder == kHostScheme ? "" : "/", name);
}

std::string parent_folder(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::string parent_folder(std::string_view path, const MemoryPool* pool) {
  if (is_host_path(path, pool) && path.find('/') == std::string_view::npos) return std::string(kHostScheme);
  return parent_folder(path);
}

namespace {

// INVALID_ARGUMENT for the name of a file that must lie within a folder.
Status outside_error(std::string_view name, const char* why) {
  return invalid_argument("the file name '", name, "' ", why, ": it must lie within the model's folder");
}

Status check_confined(std::string_view name) {
  if (name.empty() || name.find('\0') != std::string_view::npos) {
    return outside_error(name, "is empty or contains a NUL");
  }
  if (name[0] == '/') return outside_error(name, "is absolute");
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return outside_error(name, "has a '..' part");
    begin = end + 1;
  }
  return {};
}

}  // namespace

Result<std::string> confined_path(const std::string& folder, std::string_view name) {
  PERCALE_RETURN_IF_ERROR(check_confined(name));
  const auto resolve = [](const std::string& path) -> Result<std::string> {
    PERCALE_RETURN_IF_ERROR(check_path(path));
    const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), &std::free);
    if (real == nullptr) return system_error("open", path, errno);
    return std::string(real.get());
  };
  PERCALE_ASSIGN_OR_RETURN(std::string root, resolve(folder.empty() ? "." : folder));
  PERCALE_ASSIGN_OR_RETURN(const std::string real, resolve(join_path(folder.empty() ? "." : folder, name)));
  if (root.back() != '/') root += '/';
  if (!real.starts_with(root)) return outside_error(name, "leads out of the folder through a link");
  return real;
}

Result<std::string> confined_path(const std::string& folder, std::string_view name, const MemoryPool* pool) {
  if (!is_host_path(folder, pool)) return confined_path(folder, name);
  PERCALE_RETURN_IF_ERROR(check_confined(name));
  return join_path(folder, name);
}

}  // namespace percale

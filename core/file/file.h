// The file system layer: the one place of the core that calls open, mmap, fsync, rename.
//
// Paths are text without NUL, taken as the process sees them; every function is thread-safe. An error names the call, the
// path and the system's text for errno: NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS, RESOURCE_EXHAUSTED (disk, quota,
// descriptors, memory), else UNAVAILABLE. Descriptors are never inherited by child processes.
#ifndef PERCALE_CORE_FILE_FILE_H_
#define PERCALE_CORE_FILE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"
#include "core/base/status.h"

namespace percale {

// The error `error`, an errno, of the system's call on a path.
Status system_error(const char* call, const std::string& path, int error);

// The whole of a regular file. RESOURCE_EXHAUSTED, before anything is read, where it has more than `max_bytes`.
Result<std::string> read_file(const std::string& path, int64_t max_bytes = INT64_MAX);

// A read-only mapping of a regular file: writing to it is a fault. The last user of the buffer unmaps it. The file may be
// replaced or removed meanwhile, but must not be cut short in place: reading behind its new end is a fault (SIGBUS).
Result<std::shared_ptr<Buffer>> map_file(const std::string& path);
// DATA_LOSS where the buffer is the mapping of a file that is shorter now than it was. Asked before the bytes are read, it
// turns most of those faults into errors; a file that is cut while they are read remains one.
Status check_mapping(const Buffer& buffer);
// The bytes of a regular file that stay in use: mapped, or in memory of the pool where it maps no files. Null: mapped.
Result<std::shared_ptr<Buffer>> load_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool);
// Tells the system that these bytes of a buffer will hardly be read again. Of a mapped file they leave the process's memory,
// and are there again when they are read after all; other buffers stay as they are. Any thread may read meanwhile.
void rest_mapping(const Buffer& buffer, const void* data, int64_t bytes);

// Writes a file so that a crash at any moment leaves the old one or the new one: into a temporary file beside it, fsync,
// rename, fsync of the folder. Thread-compatible.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  // Without commit() the temporary file is removed and `path` stays as it was.
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Appends. After an error only destruction makes sense.
  Status write(const void* data, int64_t bytes);
  Status write(std::string_view bytes) { return write(bytes.data(), static_cast<int64_t>(bytes.size())); }
  // Puts the file in place. May be called once.
  Status commit();

 private:
  explicit AtomicFile(std::string path);
  std::string path_, temporary_;
  int descriptor_ = -1;  // before create() and after commit()
};

// AtomicFile for bytes that are there already.
Status write_file(const std::string& path, std::string_view bytes);

enum class PathKind { kNothing, kFile, kFolder, kOther };
// What stands at `path`, links followed; kNothing also where it cannot be seen.
PathKind path_kind(const std::string& path);

// Makes a folder and those above it; a folder that exists is success.
Status create_folders(const std::string& path);
// The names in a folder, sorted, without "." and "..".
Result<std::vector<std::string>> list_folder(const std::string& path);
// Puts `from` in the place of `to`, atomically.
Status rename_path(const std::string& from, const std::string& to);
Status remove_file(const std::string& path);
// Removes a file or a folder with all in it; links are removed, never followed. Nothing there is success.
Status remove_tree(const std::string& path);
// Makes what was created, renamed and removed in a folder durable.
Status sync_folder(const std::string& path);

// "a/b" for "a" and "b"; an absolute or empty side wins.
std::string join_path(std::string_view folder, std::string_view name);
// What comes before the last '/', "." where there is none.
std::string parent_folder(std::string_view path);

// The path of the existing file that `name`, which is not ours to trust, means within `folder`: INVALID_ARGUMENT when it is
// empty, absolute, has a ".." part, or leads out of the folder through links.
Result<std::string> confined_path(const std::string& folder, std::string_view name);

}  // namespace percale

#endif  // PERCALE_CORE_FILE_FILE_H_

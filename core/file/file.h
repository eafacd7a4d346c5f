// The file system layer: files as the core uses them, built on those of the system (core/system).
//
// Paths are texts without NUL and are used as they are; relative paths start at the working
// directory. Every function is thread-safe. An error names the call, the path and the system's text
// for errno. Its code is NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS, RESOURCE_EXHAUSTED (disk,
// quota, descriptors, memory), or else UNAVAILABLE. Child processes never inherit descriptors.
#ifndef PERCALE_CORE_FILE_FILE_H_
#define PERCALE_CORE_FILE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/system/file.h"

namespace percale {

// Returns the error for errno value `error` of system call `call` on `path`.
Status system_error(const char* call, const std::string& path, int error);

// Returns the contents of a regular file. RESOURCE_EXHAUSTED, before anything is read, if the file
// has more than `max_bytes`.
Result<std::string> read_file(const std::string& path, int64_t max_bytes = INT64_MAX);
// The same. The file may be one of the host, whose engine has this pool.
Result<std::string> read_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool, int64_t max_bytes);

// Maps a regular file read-only: writing to the memory faults. The last owner of the buffer unmaps
// it. The file may be replaced or removed meanwhile, but must not be truncated in place: reading
// beyond its new end faults (SIGBUS).
Result<std::shared_ptr<Buffer>> map_file(const std::string& path);
// Returns DATA_LOSS if `buffer` maps a file that is now shorter than it was, or a part of one. Call
// it before reading the bytes: it turns most of these faults into errors. A file that is truncated
// during the read still faults.
Status check_mapping(const Buffer& buffer);
// Returns the contents of a regular file for long-term use: mapped, or in memory of `pool` if the
// pool's maps_files() is false, or if the host reads the file (core/file/host_files.h). Null
// `pool`: mapped.
Result<std::shared_ptr<Buffer>> load_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool);
// Tells the system that these bytes of a buffer will hardly be read again. Bytes of a mapped file
// leave the process's memory and are loaded again on access. Other buffers are unaffected. Other
// threads may read the bytes meanwhile.
void rest_mapping(const Buffer& buffer, const void* data, int64_t bytes);

// Writes a file so that a crash at any time leaves either the old or the new file. Writes a
// temporary file in the same folder, then calls fsync, rename, and fsync on the folder.
// Thread-compatible.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  // Without commit(), removes the temporary file and leaves `path` unchanged.
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Appends bytes. After an error, only destruction is allowed.
  Status write(const void* data, int64_t bytes);
  Status write(std::string_view bytes) { return write(bytes.data(), static_cast<int64_t>(bytes.size())); }
  // Moves the file to `path`. May be called once.
  Status commit();

 private:
  explicit AtomicFile(std::string path);
  std::string path_, temporary_;
  os::FileHandle file_ = os::kNoFile;  // until create() and after commit()
};

// Writes `bytes` to `path` with an AtomicFile.
Status write_file(const std::string& path, std::string_view bytes);

enum class PathKind { kNothing, kFile, kFolder, kOther };
// Returns the kind of the object at `path`, following links; kNothing also if it cannot be
// accessed.
PathKind path_kind(const std::string& path);

// Creates a folder and its parents. Succeeds if the folder exists.
Status create_folders(const std::string& path);
// Returns the names in a folder, sorted, without "." and "..".
Result<std::vector<std::string>> list_folder(const std::string& path);
// Atomically renames `from` to `to`, replacing `to`.
Status rename_path(const std::string& from, const std::string& to);
Status remove_file(const std::string& path);
// Removes a file, or a folder with its contents. Links are removed, never followed. Succeeds if
// nothing is there.
Status remove_tree(const std::string& path);
// Makes creations, renames and removals in a folder durable.
Status sync_folder(const std::string& path);

// Joins "a" and "b" to "a/b". If one side is empty, or `name` is absolute, returns the other side
// or `name`.
std::string join_path(std::string_view folder, std::string_view name);
// Returns the part before the last '/', or "." if there is none. On Windows '\' separates, too.
std::string parent_folder(std::string_view path);
// Returns the part after it.
std::string_view file_name(std::string_view path);
// The same for a file that may be one of the host: "host:" for "host:model.onnx".
std::string parent_folder(std::string_view path, const MemoryPool* pool);

// Returns the real path of the existing file `name` within `folder`. `name` is untrusted:
// INVALID_ARGUMENT if it is empty, absolute, has a ".." part, or leaves the folder through a link.
Result<std::string> confined_path(const std::string& folder, std::string_view name);
// The same. The folder may be one of the host, where names lead through no links.
Result<std::string> confined_path(const std::string& folder, std::string_view name, const MemoryPool* pool);

}  // namespace percale

#endif  // PERCALE_CORE_FILE_FILE_H_

// Files and folders, as the system offers them. core/file builds its functions on these.
//
// Paths are UTF-8 without NUL. Functions that return int return 0 or an error (error.h). No call
// ends early because of a signal. Child processes never inherit files.
#ifndef PERCALE_CORE_SYSTEM_FILE_H_
#define PERCALE_CORE_SYSTEM_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/error.h"

namespace percale::os {

// An open file: a descriptor, or a handle of Windows.
using FileHandle = intptr_t;
inline constexpr FileHandle kNoFile = -1;

enum class FileKind { kFile, kFolder, kOther };
struct FileFacts {
  FileKind kind = FileKind::kOther;
  int64_t bytes = 0;
  uint64_t device = 0, inode = 0;  // together they identify the file
};

// Opens for reading. Does not wait for the writer of a named pipe.
int open_to_read(const std::string& path, FileHandle* out);
// Opens a new file for writing. EEXIST if something is there.
int create_new(const std::string& path, FileHandle* out);
int close_file(FileHandle file);
int facts_of(FileHandle file, FileFacts* out);
// `follow` is false: facts about a link itself, which is kOther.
int facts_at(const std::string& path, bool follow, FileFacts* out);
// Reads until `bytes` are there or the file ends.
int read_file(FileHandle file, void* out, int64_t bytes, int64_t* out_read);
int write_file(FileHandle file, const void* data, int64_t bytes);
// Waits until the file's bytes are on the disk.
int sync_file(FileHandle file);

// Maps a whole file of `bytes` > 0 read-only. The file may be closed afterwards.
int map_file(FileHandle file, int64_t bytes, void** out);
void unmap_file(void* data, int64_t bytes);
// Drops pages of a mapping from the process's memory. They are read again on access.
void drop_mapped_pages(void* begin, int64_t bytes);

// Creates one folder, whose parent must exist.
int make_folder(const std::string& path);
// The names are in no order, and without "." and "..".
int list_folder(const std::string& path, std::vector<std::string>* out);
// Renames atomically, replacing a file at `to`.
int rename_path(const std::string& from, const std::string& to);
int remove_file(const std::string& path);
int remove_folder(const std::string& path);
// Makes creations, renames and removals in a folder durable, where the system needs a call for it.
CallError sync_folder(const std::string& path);
// Resolves links, "." and "..". The result is absolute and its separators are '/'.
int real_path(const std::string& path, std::string* out);

// Takes the lock of a lock file, which is created if needed, without waiting.
struct FileLock {
  enum class State { kLocked, kHeld, kFailed };
  State state = State::kFailed;
  FileHandle file = kNoFile;  // if locked
  int64_t holder = 0;         // if held: the process id; 0 if unknown
  CallError failed;           // if failed
};
FileLock lock_file(const std::string& path);
// Removes the file and ends the lock.
void unlock_file(const std::string& path, FileHandle file);

// The characters that separate the parts of a path. The first one is '/'.
std::string_view path_separators();
// True if the path does not depend on a folder: "/a", or "C:a" on Windows.
bool is_absolute_path(std::string_view path);
// Separates the paths of a list.
char path_list_separator();

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_FILE_H_

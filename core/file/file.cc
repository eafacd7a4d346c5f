#include "core/file/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "core/file/host_files.h"
#include "core/system/file.h"
#include "core/system/memory.h"
#include "core/system/process.h"

namespace percale {
namespace {

Code code_of(int error) {
  switch (os::error_kind(error)) {
    case os::ErrorKind::kNotFound: return Code::kNotFound;
    case os::ErrorKind::kPermissionDenied: return Code::kPermissionDenied;
    case os::ErrorKind::kAlreadyExists: return Code::kAlreadyExists;
    case os::ErrorKind::kExhausted: return Code::kResourceExhausted;
    case os::ErrorKind::kOther: break;
  }
  return Code::kUnavailable;
}

Status check_path(const std::string& path) {
  if (!path.empty() && path.find('\0') == std::string::npos) return {};
  return invalid_argument("a path must not be empty or contain a NUL: '", path.c_str(), "'");
}

// Owns an open file.
class OpenFile {
 public:
  OpenFile() = default;
  ~OpenFile() {
    if (handle_ != os::kNoFile) os::close_file(handle_);
  }
  OpenFile(OpenFile&& o) noexcept : facts(o.facts), handle_(std::exchange(o.handle_, os::kNoFile)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  Status open(const std::string& path) {
    if (const int error = os::open_to_read(path, &handle_); error != 0) return system_error("open", path, error);
    if (const int error = os::facts_of(handle_, &facts); error != 0) return system_error("stat", path, error);
    return {};
  }
  os::FileHandle handle() const { return handle_; }

  os::FileFacts facts;

 private:
  os::FileHandle handle_ = os::kNoFile;
};

Result<OpenFile> open_regular(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  OpenFile file;
  PERCALE_RETURN_IF_ERROR(file.open(path));
  if (file.facts.kind != os::FileKind::kFile) {
    return invalid_argument("open '", path, "': this is not a regular file");
  }
  return file;
}

struct Mapping {
  Mapping() = default;
  ~Mapping() {
    if (data != nullptr) os::unmap_file(data, facts.bytes);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void* data = nullptr;
  std::string path;
  os::FileFacts facts;
};

void end_mapping(void* mapping, void*) { delete static_cast<Mapping*>(mapping); }

}  // namespace

Status system_error(const char* call, const std::string& path, int error) {
  return make_error(code_of(error), {call, " '", path, "': ", os::error_text(error)});
}

// Returns the number of bytes read. It is less than those of the file if it was truncated
// meanwhile.
Result<int64_t> read_all(const OpenFile& file, const std::string& path, char* out) {
  int64_t done = 0;
  const int error = os::read_file(file.handle(), out, file.facts.bytes, &done);
  if (error != 0) return system_error("read", path, error);
  return done;
}

Result<std::string> read_file(const std::string& path, int64_t max_bytes) {
  PERCALE_ASSIGN_OR_RETURN(OpenFile file, open_regular(path));
  // A sparse file may claim more bytes than a string can hold.
  constexpr int64_t kMost = int64_t{1} << 40;
  const int64_t bytes = file.facts.bytes, most = std::min(max_bytes, kMost);
  if (bytes > most) return resource_exhausted("read '", path, "': ", bytes, " bytes, the limit is ", most);
  std::string out(static_cast<size_t>(bytes), '\0');
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
  if (file.facts.bytes == 0) {  // systems refuse to map empty files
    static constexpr char kEmpty[1] = {};
    return Buffer::wrap(const_cast<char*>(kEmpty), 0, nullptr, nullptr);
  }
  auto mapping = std::make_unique<Mapping>();
  mapping->path = path;
  mapping->facts = file.facts;
  const int error = os::map_file(file.handle(), file.facts.bytes, &mapping->data);
  if (error != 0) return system_error("map", path, error);
  auto buffer = Buffer::wrap(mapping->data, file.facts.bytes, end_mapping, mapping.get());
  static_cast<void>(mapping.release());  // the buffer's deleter frees it
  return buffer;
}

Status check_mapping(const Buffer& buffer) {
  const Buffer& whole = buffer.whole();
  if (!whole.ends_with(end_mapping)) return {};
  const auto& mapping = *static_cast<const Mapping*>(whole.user());
  os::FileFacts now;
  // If another file now has this path, the mapped file still exists unchanged.
  if (os::facts_at(mapping.path, true, &now) != 0 || now.device != mapping.facts.device ||
      now.inode != mapping.facts.inode) {
    return {};
  }
  const int64_t bytes = mapping.facts.bytes;
  if (now.bytes >= bytes) return {};
  return data_loss("'", mapping.path, "' had ", bytes, " bytes when it was opened and now has ", now.bytes,
                   ": a mapped file must not be truncated while it is in use; replace it by renaming, or read it into "
                   "memory (map_files=off)");
}

Result<std::shared_ptr<Buffer>> load_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  if (is_host_path(path, pool.get())) return load_host_file(path, pool);
  if (pool == nullptr || pool->maps_files()) return map_file(path);
  PERCALE_ASSIGN_OR_RETURN(const OpenFile file, open_regular(path));
  PERCALE_ASSIGN_OR_RETURN(auto out, Buffer::allocate(pool, file.facts.bytes));
  PERCALE_ASSIGN_OR_RETURN(const int64_t done, read_all(file, path, static_cast<char*>(out->data())));
  if (done < file.facts.bytes) return data_loss("read '", path, "': the file was truncated while it was read");
  return out;
}

void rest_mapping(const Buffer& buffer, const void* data, int64_t bytes) {
  if (!buffer.whole().ends_with(end_mapping)) return;
  const uintptr_t page = os::page_bytes(), begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + page - 1) / page * page, end = (begin + static_cast<uintptr_t>(bytes)) / page * page;
  if (first < end) os::drop_mapped_pages(reinterpret_cast<void*>(first), static_cast<int64_t>(end - first));
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {}

AtomicFile::AtomicFile(AtomicFile&& o) noexcept
    : path_(std::move(o.path_)), temporary_(std::move(o.temporary_)), file_(std::exchange(o.file_, os::kNoFile)) {}

AtomicFile::~AtomicFile() {
  if (file_ == os::kNoFile) return;
  os::close_file(file_);
  os::remove_file(temporary_);
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  constexpr int kAttempts = 1000;  // for names taken by other writers or left by a crash
  AtomicFile file(path);
  for (int i = 0;; ++i) {
    file.temporary_ = str_cat(path, ".tmp-", os::process_id(), "-", i);
    const int error = os::create_new(file.temporary_, &file.file_);
    if (error == 0) return file;
    if (error != EEXIST || i == kAttempts) return system_error("create", path, error);
  }
}

Status AtomicFile::write(const void* data, int64_t bytes) {
  const int error = os::write_file(file_, data, bytes);
  return error == 0 ? Status() : system_error("write", path_, error);
}

Status AtomicFile::commit() {
  if (const int error = os::sync_file(file_); error != 0) return system_error("fsync", path_, error);
  // Some file systems report a failed write only in close().
  if (const int error = os::close_file(std::exchange(file_, os::kNoFile)); error != 0) {
    os::remove_file(temporary_);
    return system_error("close", path_, error);
  }
  if (const int error = os::rename_path(temporary_, path_); error != 0) {
    os::remove_file(temporary_);
    return system_error("rename to", path_, error);
  }
  return sync_folder(parent_folder(path_));
}

Status write_file(const std::string& path, std::string_view bytes) {
  PERCALE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  PERCALE_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}

PathKind path_kind(const std::string& path) {
  os::FileFacts facts;
  if (!check_path(path).ok() || os::facts_at(path, true, &facts) != 0) return PathKind::kNothing;
  if (facts.kind == os::FileKind::kFile) return PathKind::kFile;
  return facts.kind == os::FileKind::kFolder ? PathKind::kFolder : PathKind::kOther;
}

Status create_folders(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  const std::string_view separators = os::path_separators();
  for (size_t end = path.find_first_of(separators, 1);; end = path.find_first_of(separators, end + 1)) {
    const std::string part = path.substr(0, end);
    if (const int error = os::make_folder(part); error != 0) {
      // Another process may create the folder at the same time, or an existing parent folder may
      // not be writable.
      if (path_kind(part) != PathKind::kFolder) return system_error("create folder", part, error);
    }
    if (end == std::string::npos) return {};
  }
}

Result<std::vector<std::string>> list_folder(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  std::vector<std::string> names;
  if (const int error = os::list_folder(path, &names); error != 0) return system_error("list", path, error);
  std::sort(names.begin(), names.end());
  return names;
}

Status rename_path(const std::string& from, const std::string& to) {
  PERCALE_RETURN_IF_ERROR(check_path(from));
  PERCALE_RETURN_IF_ERROR(check_path(to));
  const int error = os::rename_path(from, to);
  return error == 0 ? Status() : system_error(str_cat("rename '", from, "' to").c_str(), to, error);
}

Status remove_file(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  const int error = os::remove_file(path);
  return error == 0 ? Status() : system_error("remove", path, error);
}

Status remove_tree(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  struct Pending {
    std::string path;
    bool emptied;
  };
  const auto is_bad = [](int error) { return error != 0 && error != ENOENT; };
  std::vector<Pending> stack{{path, false}};
  while (!stack.empty()) {
    const Pending top = stack.back();
    if (top.emptied) {
      const int error = os::remove_folder(top.path);
      if (is_bad(error)) return system_error("remove", top.path, error);
      stack.pop_back();
      continue;
    }
    os::FileFacts facts;
    int error = os::facts_at(top.path, false, &facts);
    if (error == 0 && facts.kind == os::FileKind::kFolder) {
      stack.back().emptied = true;
      PERCALE_ASSIGN_OR_RETURN(const auto names, list_folder(top.path));
      for (const std::string& name : names) stack.push_back({join_path(top.path, name), false});
      continue;
    }
    if (error == 0) error = os::remove_file(top.path);
    if (is_bad(error)) return system_error("remove", top.path, error);
    stack.pop_back();
  }
  return {};
}

Status sync_folder(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_path(path));
  const os::CallError failed = os::sync_folder(path);
  return failed.error == 0 ? Status() : system_error(failed.call, path, failed.error);
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || os::is_absolute_path(name)) return std::string(name);
  if (name.empty()) return std::string(folder);
  const bool separated = os::path_separators().find(folder.back()) != std::string_view::npos;
  return str_cat(folder, separated || folder == kHostScheme ? "" : "/", name);
}

std::string parent_folder(std::string_view path) {
  const size_t slash = path.find_last_of(os::path_separators());
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of(os::path_separators()) + 1); }

std::string parent_folder(std::string_view path, const MemoryPool* pool) {
  if (is_host_path(path, pool) && file_name(path).size() == path.size()) return std::string(kHostScheme);
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
  if (os::is_absolute_path(name)) return outside_error(name, "is absolute");
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find_first_of(os::path_separators(), begin), name.size());
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
    std::string real;
    const int error = os::real_path(path, &real);
    if (error != 0) return system_error("open", path, error);
    return real;
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

#include "core/file/host_files.h"

namespace percale {
namespace {

std::string name_of(const std::string& path) { return path.substr(kHostScheme.size()); }

}  // namespace

bool is_host_path(std::string_view path, const MemoryPool* pool) {
  return pool != nullptr && pool->host_files() != nullptr && path.starts_with(kHostScheme);
}

Result<int64_t> host_file_size(const std::string& path, const MemoryPool& pool) {
  if (path.find('\0') != std::string::npos) return invalid_argument("a path must not contain a NUL: '", path, "'");
  auto size = pool.host_files()->size(name_of(path));
  if (!size.ok()) return size.status().with_context(path);
  if (*size < 0) return internal_error(path, ": the reader of the host says that the file has ", *size, " bytes");
  return size;
}

Status read_host_file(const std::string& path, const MemoryPool& pool, int64_t offset, void* to, int64_t bytes) {
  if (bytes == 0) return {};
  return pool.host_files()->read(name_of(path), offset, to, bytes).with_context(path);
}

Result<std::shared_ptr<Buffer>> load_host_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, host_file_size(path, *pool));
  auto out = Buffer::allocate(pool, bytes);
  if (!out.ok()) return out.status().with_context(path);
  PERCALE_RETURN_IF_ERROR(read_host_file(path, *pool, 0, (*out)->data(), bytes));
  return out;
}

}  // namespace percale

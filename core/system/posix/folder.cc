#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/system/file.h"
#include "core/system/posix/retry.h"

namespace percale::os {

int make_folder(const std::string& path) { return mkdir(path.c_str(), 0777) != 0 ? errno : 0; }

int list_folder(const std::string& path, std::vector<std::string>* out) {
  struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
  };
  const std::unique_ptr<DIR, Close> folder(opendir(path.c_str()));
  if (folder == nullptr) return errno;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) return errno;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") out->emplace_back(name);
  }
}

int rename_path(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str()) != 0 ? errno : 0;
}

int remove_file(const std::string& path) { return unlink(path.c_str()) != 0 ? errno : 0; }

int remove_folder(const std::string& path) { return rmdir(path.c_str()) != 0 ? errno : 0; }

CallError sync_folder(const std::string& path) {
  const int folder = open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY);
  if (folder < 0) return {"open", errno};
  const int error = sync_file(folder);
  close(folder);
  // Some file systems return EINVAL for fsync on a folder because they have nothing to sync.
  return {"fsync", error == EINVAL ? 0 : error};
}

int real_path(const std::string& path, std::string* out) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), &std::free);
  if (real == nullptr) return errno;
  *out = real.get();
  return 0;
}

std::string_view path_separators() { return "/"; }

bool is_absolute_path(std::string_view path) { return path.starts_with('/'); }

char path_list_separator() { return ':'; }

}  // namespace percale::os

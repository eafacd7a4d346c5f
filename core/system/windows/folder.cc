#include <windows.h>

#include <cerrno>
#include <vector>

#include "core/system/file.h"
#include "core/system/windows/handle.h"
#include "core/system/windows/last_error.h"

namespace percale::os {
namespace {

// Replaces `to` even if it is open, which MoveFileEx() refuses. Older systems and some file systems
// do not offer it.
bool replace_open_file(const std::string& from, const std::string& to) {
  const HANDLE file = open_handle(from, DELETE | SYNCHRONIZE, kShareAll, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (file == INVALID_HANDLE_VALUE) return false;
  const std::wstring name = wide_text(to);
  constexpr DWORD kReplace = 1, kPosixSemantics = 2;
  const size_t bytes = sizeof(FILE_RENAME_INFO) + name.size() * sizeof(wchar_t);
  std::vector<uint64_t> memory(bytes / sizeof(uint64_t) + 1);
  auto* info = reinterpret_cast<FILE_RENAME_INFO*>(memory.data());
  info->Flags = kReplace | kPosixSemantics;
  info->FileNameLength = static_cast<DWORD>(name.size() * sizeof(wchar_t));
  name.copy(info->FileName, name.size());
  constexpr auto kFileRenameInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  const bool done = SetFileInformationByHandle(file, kFileRenameInfoEx, info, static_cast<DWORD>(bytes)) != 0;
  CloseHandle(file);
  return done;
}

std::wstring final_path(HANDLE file) {
  std::wstring out(MAX_PATH, L'\0');
  for (;;) {
    const DWORD size = GetFinalPathNameByHandleW(file, out.data(), static_cast<DWORD>(out.size()), 0);
    if (size < out.size()) {
      out.resize(size);
      return out;
    }
    out.resize(size);
  }
}

}  // namespace

int make_folder(const std::string& path) { return error_of(CreateDirectoryW(wide_text(path).c_str(), nullptr)); }

int list_folder(const std::string& path, std::vector<std::string>* out) {
  WIN32_FIND_DATAW entry{};
  const HANDLE search = FindFirstFileW(wide_text(path + "/*").c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) return last_error();
  do {
    const std::wstring name = entry.cFileName;
    if (name != L"." && name != L"..") out->push_back(utf8_text(name));
  } while (FindNextFileW(search, &entry) != 0);
  const int error = GetLastError() == ERROR_NO_MORE_FILES ? 0 : last_error();
  FindClose(search);
  return error;
}

int rename_path(const std::string& from, const std::string& to) {
  if (replace_open_file(from, to)) return 0;
  return error_of(MoveFileExW(wide_text(from).c_str(), wide_text(to).c_str(), MOVEFILE_REPLACE_EXISTING));
}

// A link to a folder is removed as a folder is.
int remove_file(const std::string& path) {
  const std::wstring name = wide_text(path);
  const DWORD attributes = GetFileAttributesW(name.c_str());
  constexpr DWORD kLinkToFolder = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & kLinkToFolder) == kLinkToFolder) {
    return error_of(RemoveDirectoryW(name.c_str()));
  }
  return error_of(DeleteFileW(name.c_str()));
}

int remove_folder(const std::string& path) { return error_of(RemoveDirectoryW(wide_text(path).c_str())); }

// NTFS keeps the changes in order; there is no call that waits for them.
CallError sync_folder(const std::string& path) {
  FileFacts facts;
  int error = facts_at(path, true, &facts);
  if (error == 0 && facts.kind != FileKind::kFolder) error = ENOTDIR;
  return {"open", error};
}

int real_path(const std::string& path, std::string* out) {
  const HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES, kShareAll, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (file == INVALID_HANDLE_VALUE) return last_error();
  std::wstring name = final_path(file);
  CloseHandle(file);
  if (name.empty()) return last_error();
  if (name.starts_with(LR"(\\?\UNC\)")) {
    name.replace(0, 8, LR"(\\)");
  } else if (name.starts_with(LR"(\\?\)")) {
    name.erase(0, 4);
  }
  *out = utf8_path(name);
  return 0;
}

std::string_view path_separators() { return "/\\"; }

// A path with a drive is not below another folder, even if it is relative to the drive's folder.
bool is_absolute_path(std::string_view path) {
  return path.starts_with('/') || path.starts_with('\\') || path.find(':') != std::string_view::npos;
}

char path_list_separator() { return ';'; }

}  // namespace percale::os

#include "system/system.h"

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <windows.h>
// After windows.h, whose types it uses.
#include <shellapi.h>

#include <cerrno>
#include <csignal>
#include <vector>

namespace percale_cli {
namespace {

std::wstring wide(const std::string& text) {
  const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring out(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), size);
  return out;
}

std::string narrow(const std::wstring& text) {
  const int size =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), size, nullptr, nullptr);
  return out;
}

}  // namespace

bool is_terminal(int stream) { return _isatty(stream) != 0; }

int terminal_columns(int stream) {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  const HANDLE handle = GetStdHandle(stream == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
  if (GetConsoleScreenBufferInfo(handle, &info) == 0) return 80;
  const int columns = info.srWindow.Right - info.srWindow.Left + 1;
  return columns > 0 ? columns : 80;
}

int64_t process_id() { return _getpid(); }

double cpu_microseconds() {
  FILETIME created, ended, system, user;
  if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &system, &user) == 0) return 0;
  const auto of = [](const FILETIME& t) {  // in units of 100 ns
    return (static_cast<double>(t.dwHighDateTime) * 4294967296.0 + static_cast<double>(t.dwLowDateTime)) / 10;
  };
  return of(system) + of(user);
}

std::FILE* open_file(const std::string& path, const char* mode) {
  // The C library's mode for a new file is "wx" as elsewhere; text is written without "\r".
  std::string binary = mode;
  if (binary.find('b') == std::string::npos) binary += 'b';
  return _wfopen(wide(path).c_str(), wide(binary).c_str());
}

bool rename_file(const std::string& from, const std::string& to) {
  if (MoveFileExW(wide(from).c_str(), wide(to).c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return true;
  errno = EACCES;
  return false;
}

void remove_file(const std::string& path) { _wremove(wide(path).c_str()); }

std::filesystem::path path_of(const std::string& text) { return wide(text); }

std::string text_of(const std::filesystem::path& path) { return narrow(path.generic_wstring()); }

void prepare_main(int* argc, char*** argv) {
  _setmode(1, _O_BINARY);
  _setmode(2, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), argc);
  if (words == nullptr) return;
  static std::vector<std::string> texts;
  static std::vector<char*> pointers;
  for (int i = 0; i < *argc; ++i) texts.push_back(narrow(words[i]));
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  LocalFree(words);
  *argv = pointers.data();
}

void handle_signal(int signal, SignalHandler handler) {
  const SignalHandler before = std::signal(signal, handler);
  if (before != SIG_DFL) std::signal(signal, before);
}

void restore_default(int signal) { std::signal(signal, SIG_DFL); }

void end_handling(int signal, SignalHandler handler) {
  const SignalHandler before = std::signal(signal, SIG_DFL);
  if (before != handler) std::signal(signal, before);
}

void write_stderr(const char* text, size_t size) {
  if (_write(2, text, static_cast<unsigned>(size)) < 0) return;  // stderr is closed
}

void* open_library(const char* name, std::string* out_reason) {
  void* const library = LoadLibraryA(name);
  if (library == nullptr) *out_reason = "error " + std::to_string(GetLastError());
  return library;
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace percale_cli

#include "system/system.h"

#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace percale_cli {

bool is_terminal(int stream) { return isatty(stream) != 0; }

int terminal_columns(int stream) {
  winsize size = {};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int64_t process_id() { return getpid(); }

double cpu_microseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

std::FILE* open_file(const std::string& path, const char* mode) { return std::fopen(path.c_str(), mode); }

bool rename_file(const std::string& from, const std::string& to) { return std::rename(from.c_str(), to.c_str()) == 0; }

void remove_file(const std::string& path) { std::remove(path.c_str()); }

std::filesystem::path path_of(const std::string& text) { return text; }

std::string text_of(const std::filesystem::path& path) { return path.string(); }

void prepare_main(int*, char***) {}

namespace {

void set_handler(int signal, SignalHandler handler) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

SignalHandler handler_of(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

}  // namespace

void handle_signal(int signal, SignalHandler handler) {
  if (handler_of(signal) == SIG_DFL) set_handler(signal, handler);
}

void restore_default(int signal) { set_handler(signal, SIG_DFL); }

void end_handling(int signal, SignalHandler handler) {
  if (handler_of(signal) == handler) restore_default(signal);
}

void write_stderr(const char* text, size_t size) {
  if (write(STDERR_FILENO, text, size) < 0) return;  // stderr is closed
}

void* open_library(const char* name, std::string* out_reason) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) *out_reason = dlerror();
  return library;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace percale_cli

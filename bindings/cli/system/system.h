// The calls of the system that the program needs beyond the standard library. A folder per system
// has them.
#ifndef PERCALE_BINDINGS_CLI_SYSTEM_SYSTEM_H_
#define PERCALE_BINDINGS_CLI_SYSTEM_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace percale_cli {

// `stream` is 1 for stdout, 2 for stderr.
bool is_terminal(int stream);
// 80 if the stream is no terminal.
int terminal_columns(int stream);

int64_t process_id();
// Returns user and system time of all threads of the process.
double cpu_microseconds();

// Paths are UTF-8. Failures set errno.
std::FILE* open_file(const std::string& path, const char* mode);
bool rename_file(const std::string& from, const std::string& to);  // replaces `to`
void remove_file(const std::string& path);
std::filesystem::path path_of(const std::string& text);
std::string text_of(const std::filesystem::path& path);

// Makes the arguments of main() and the output UTF-8 without "\r". The arguments live as long as
// the process.
void prepare_main(int* argc, char*** argv);

using SignalHandler = void (*)(int);
// Handles the signal if the default would. A blocked system call continues afterwards.
void handle_signal(int signal, SignalHandler handler);
// Reverses it, also within the handler.
void restore_default(int signal);
// The same, unless another handler has replaced `handler`.
void end_handling(int signal, SignalHandler handler);
// Writes to stderr without a buffer, as signal handlers may.
void write_stderr(const char* text, size_t size);

// Loads a shared library whose symbols others may use. Null on failure, with the reason.
void* open_library(const char* name, std::string* out_reason);
void* find_symbol(void* library, const char* name);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_SYSTEM_SYSTEM_H_

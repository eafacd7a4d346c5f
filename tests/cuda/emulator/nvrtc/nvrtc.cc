// An emulated libnvrtc: compiles sources for the host with the same shim as the kernels' files. A
// source sees the headers that it is given, and no others of the project.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "devices/cuda/driver/cuda_abi.h"
#include "tests/cuda/emulator/emulator.h"

using namespace percale::cuda::abi;
using percale_emulator::note_problem;
namespace fs = std::filesystem;

namespace percale::cuda::abi {

struct CompiledTag {
  std::string source, log, code;
  std::map<std::string, std::string> headers;
};

}  // namespace percale::cuda::abi

namespace {

uint64_t compilations = 0;
constexpr CompileStatus kInvalid = 3;

CompileStatus misuse(const std::string& what) {
  note_problem("nvrtc: " + what);
  return kInvalid;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

extern "C" {

// For tests: the number of compiled programs.
__attribute__((visibility("default"))) uint64_t percale_emulator_compilations(void) { return compilations; }

CompileStatus nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return kCompileSuccess;
}

CompileStatus nvrtcCreateProgram(Compiled* program, const char* source, const char* name, int header_count,
                                 const char* const* headers, const char* const* header_names) {
  if (source == nullptr || name == nullptr || header_count < 0) return misuse("a program without a source");
  *program = new CompiledTag{source, "", "", {}};
  for (int i = 0; i < header_count; ++i) (*program)->headers[header_names[i]] = headers[i];
  return kCompileSuccess;
}

CompileStatus nvrtcDestroyProgram(Compiled* program) {
  delete *program;
  *program = nullptr;
  return kCompileSuccess;
}

CompileStatus nvrtcCompileProgram(Compiled program, int option_count, const char* const* options) {
  std::string_view arch;
  bool contracts = true;
  for (int i = 0; i < option_count; ++i) {
    const std::string_view option = options[i];
    if (option.starts_with("--gpu-architecture=sm_")) {
      arch = option;
    } else if (option == "--fmad=false") {
      contracts = false;
    } else if (option != "--std=c++20") {
      return misuse("the option " + std::string(option));
    }
  }
  if (arch != "--gpu-architecture=sm_90") return misuse("another kind of GPU");
  if (contracts) return misuse("sums that are contracted");
  std::string folder = (fs::temp_directory_path() / "percale-nvrtc-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return misuse("no folder");
  const fs::path here = folder;
  for (const auto& [name, text] : program->headers) {
    if (name.find('/') == std::string::npos) continue;  // the host's own header is used
    fs::create_directories((here / name).parent_path());
    std::ofstream(here / name) << text;
  }
  std::ofstream(here / "code.cc") << program->source;
  // The shim finds the structs of arguments beside the other given headers.
  const std::string command = std::string(PERCALE_COMPILER) + " -std=c++20 -O1 -ffp-contract=off -fPIC -shared -I" +
                              folder + " -include " + PERCALE_SHIM + " -o " + folder + "/code.so " + folder +
                              "/code.cc " + PERCALE_DRIVER + " > " + folder + "/log 2>&1";
  const int status = std::system(command.c_str());
  program->log = read(here / "log");
  const std::string library = status == 0 ? read(here / "code.so") : "";
  fs::remove_all(here);
  if (library.empty()) return kCompileError;
  percale_emulator::CompiledCode head{};
  std::copy(std::begin(percale_emulator::kCompiledMark), std::end(percale_emulator::kCompiledMark), head.mark);
  head.bytes = library.size();
  program->code.assign(reinterpret_cast<const char*>(&head), sizeof head);
  program->code += library;
  ++compilations;
  return kCompileSuccess;
}

CompileStatus nvrtcGetProgramLogSize(Compiled program, size_t* bytes) {
  *bytes = program->log.size() + 1;
  return kCompileSuccess;
}
CompileStatus nvrtcGetProgramLog(Compiled program, char* log) {
  program->log.copy(log, program->log.size());
  log[program->log.size()] = 0;
  return kCompileSuccess;
}
CompileStatus nvrtcGetCUBINSize(Compiled program, size_t* bytes) {
  *bytes = program->code.size();
  return program->code.empty() ? misuse("code of what was not compiled") : kCompileSuccess;
}
CompileStatus nvrtcGetCUBIN(Compiled program, char* image) {
  program->code.copy(image, program->code.size());
  return kCompileSuccess;
}

}  // extern "C"

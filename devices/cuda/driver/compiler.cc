#include "devices/cuda/driver/compiler.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

// Defined by the build: the texts of the headers that run-time code may include.
extern "C" const char percale_cuda_source_args[];
extern "C" const char percale_cuda_source_device[];
extern "C" const char percale_cuda_source_elementwise[];

namespace percale::cuda {
namespace {

namespace fs = std::filesystem;

// The declarations that our device headers use from the standard headers.
constexpr const char* kStddef = "using size_t = decltype(sizeof(0));\n";
constexpr const char* kStdint =
    "using int8_t = signed char; using int16_t = short; using int32_t = int; using int64_t = long;\n"
    "using uint8_t = unsigned char; using uint16_t = unsigned short; using uint32_t = unsigned;\n"
    "using uint64_t = unsigned long;\n";
constexpr std::array kHeaderNames{"cstddef", "cstdint", "devices/cuda/kernels/common/args.h",
                                  "devices/cuda/kernels/common/device.cuh",
                                  "devices/cuda/kernels/common/elementwise.cuh"};
constexpr std::array kHeaders{kStddef, kStdint, percale_cuda_source_args, percale_cuda_source_device,
                              percale_cuda_source_elementwise};
static_assert(kHeaders.size() == kHeaderNames.size());

// The most files in the folder. When there are more, the older half is deleted.
constexpr size_t kMostFiles = 4096;

// FNV-1a.
uint64_t hash_of(std::string_view text, uint64_t seed) {
  uint64_t out = 0xCBF29CE484222325ULL ^ seed;
  for (char c : text) {
    out ^= static_cast<uint8_t>(c);
    out *= 0x100000001B3ULL;
  }
  return out;
}
std::string hex_of(std::string_view text) {
  std::array<char, 33> out{};
  std::snprintf(out.data(), out.size(), "%016llx%016llx", static_cast<unsigned long long>(hash_of(text, 0)),
                static_cast<unsigned long long>(hash_of(text, 0x9E3779B97F4A7C15ULL)));
  return out.data();
}

// The layout of a file: the mark, the key's size and bytes, the code's size and bytes, and a hash
// of everything before it.
constexpr std::string_view kMark = "percale code 1\n";
void put(std::string& out, uint64_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); }
bool take(std::string_view& rest, uint64_t* number) {
  if (rest.size() < sizeof *number) return false;
  rest.copy(reinterpret_cast<char*>(number), sizeof *number);
  rest.remove_prefix(sizeof *number);
  return true;
}
bool take(std::string_view& rest, std::string_view* bytes) {
  uint64_t size = 0;
  if (!take(rest, &size) || size > rest.size()) return false;
  *bytes = rest.substr(0, size);
  rest.remove_prefix(size);
  return true;
}

std::string log_of(const CompilerLibrary& library, abi::Compiled program) {
  size_t bytes = 0;
  if (library.nvrtcGetProgramLogSize(program, &bytes) != abi::kCompileSuccess || bytes < 2) return "no details";
  std::string out(bytes, 0);
  library.nvrtcGetProgramLog(program, out.data());
  out.resize(std::min<size_t>(out.find('\0'), 2000));
  return out;
}

}  // namespace

KernelSource name_by_content(std::string_view prefix, std::string body) {
  const std::string name = std::string(prefix) + hex_of(body);
  constexpr std::string_view kName = "NAME";
  const size_t at = body.find(kName);
  return {name, body.replace(at, kName.size(), name)};
}

std::string CodeFolder::default_path() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::getenv("PERCALE_CUDA_CODE") != nullptr) return variable("PERCALE_CUDA_CODE");
  if (const std::string cache = variable("PERCALE_CACHE"); !cache.empty()) return cache + "/cuda_code";
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/percale/cuda_code";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/percale/cuda_code";
  return "";
}

std::string CodeFolder::file_of(const std::string& key) const { return path_ + "/" + hex_of(key); }

std::optional<std::string> CodeFolder::find(const std::string& key) const {
  if (path_.empty()) return std::nullopt;
  std::ifstream file(file_of(key), std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string_view rest = all, own_key, code;
  if (!rest.starts_with(kMark)) return std::nullopt;
  rest.remove_prefix(kMark.size());
  uint64_t hash = 0;
  if (!take(rest, &own_key) || !take(rest, &code)) return std::nullopt;
  const size_t end = all.size() - rest.size();
  if (!take(rest, &hash) || !rest.empty() || own_key != key) return std::nullopt;
  if (hash != hash_of(std::string_view(all).substr(0, end), 0)) return std::nullopt;
  return std::string(code);
}

// Writes a temporary file and renames it, so that readers never see a partial file.
void CodeFolder::keep(const std::string& key, const std::string& code) const {
  if (path_.empty()) return;
  std::error_code error;
  if (fs::create_directories(path_, error)) fs::permissions(path_, fs::perms::owner_all, error);
  make_room();
  std::string all(kMark);
  put(all, key.size());
  all += key;
  put(all, code.size());
  all += code;
  put(all, hash_of(all, 0));
  const std::string file = file_of(key), beside = file + "." + std::to_string(::getpid());
  std::ofstream out(beside, std::ios::binary);
  out.write(all.data(), static_cast<std::streamsize>(all.size()));
  out.close();
  if (out) {
    fs::rename(beside, file, error);
  } else {
    fs::remove(beside, error);
  }
}

void CodeFolder::make_room() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator at(path_, error), end; !error && at != end; at.increment(error)) {
    files.emplace_back(at->last_write_time(error), at->path());
  }
  if (files.size() < kMostFiles) return;
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i < files.size() / 2; ++i) fs::remove(files[i].second, error);
}

std::string Compiler::compile(const KernelSource& source, int arch) {
  if (!library_.open()) throw Failure(PERCALE_FAILED_PRECONDITION, "NVRTC is not available");
  const std::string text =
      "#include \"devices/cuda/kernels/common/elementwise.cuh\"\nnamespace percale::cuda {\n" + source.text + "}\n";
  const std::string target = "--gpu-architecture=sm_" + std::to_string(arch);
  // The same option as for the kernel files in the build: no contraction of a product and a sum.
  const std::array options{target.c_str(), "--std=c++20", "--fmad=false"};
  int major = 0, minor = 0;
  library_.nvrtcVersion(&major, &minor);
  std::string key = std::to_string(major) + "." + std::to_string(minor);
  for (const char* option : options) key += std::string(" ") + option;
  for (const char* header : kHeaders) key += "\n" + hex_of(header);
  key += "\n" + text;
  if (auto code = folder_.find(key)) return *std::move(code);

  abi::Compiled program = nullptr;
  const auto check = [&](abi::CompileStatus status, const char* what) {
    if (status == abi::kCompileSuccess) return;
    const std::string log = program == nullptr ? "" : ": " + log_of(library_, program);
    if (program != nullptr) library_.nvrtcDestroyProgram(&program);
    throw Failure(PERCALE_INTERNAL, std::string(what) + " (" + std::to_string(status) + ")" + log);
  };
  check(library_.nvrtcCreateProgram(&program, text.c_str(), (source.name + ".cu").c_str(),
                                    static_cast<int>(kHeaders.size()), kHeaders.data(), kHeaderNames.data()),
        "nvrtcCreateProgram");
  check(library_.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data()), "nvrtcCompileProgram");
  size_t bytes = 0;
  check(library_.nvrtcGetCUBINSize(program, &bytes), "nvrtcGetCUBINSize");
  std::string code(bytes, 0);
  check(library_.nvrtcGetCUBIN(program, code.data()), "nvrtcGetCUBIN");
  library_.nvrtcDestroyProgram(&program);
  folder_.keep(key, code);
  return code;
}

}  // namespace percale::cuda

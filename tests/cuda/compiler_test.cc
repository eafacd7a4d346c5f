// Tests run-time compilation: the cache of compiled code, and NVIDIA's own compiler, which needs no
// GPU, on groups of all ops that groups support.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "devices/cuda/elementwise/fused_code.h"
#include "tests/unit/temp_folder.h"

namespace percale::cuda {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

TEST_CASE("a folder of code gives back what was kept, and nothing else") {
  const TempFolder place;
  const std::string path = place.path() + "/deeper/code";
  const CodeFolder folder(path);
  CHECK_FALSE(folder.find("a").has_value());
  const std::string code("\0code\n", 6);
  folder.keep("a", code);
  folder.keep("b", "");
  CHECK(folder.find("a") == code);
  CHECK(folder.find("b") == "");
  CHECK_FALSE(folder.find("c").has_value());
  CHECK(CodeFolder(path).find("a") == code);
  // Whatever happens to a file, a reader gets the code or nothing.
  fs::path file;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (read(entry.path()).find("code\n") != std::string::npos && read(entry.path()).size() > 40) file = entry.path();
  }
  const std::string whole = read(file);
  for (size_t size = 0; size < whole.size(); ++size) {
    write(file, whole.substr(0, size));
    CHECK_FALSE(folder.find("a").has_value());
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    write(file, bad);
    CHECK_FALSE(folder.find("a").has_value());
  }
  folder.keep("a", code);
  CHECK(folder.find("a") == code);
}

TEST_CASE("a folder that cannot be written keeps nothing and harms nobody") {
  const TempFolder place;
  write(place.path() + "/file", "x");
  const CodeFolder folder(place.path() + "/file/code"), none("");
  for (const CodeFolder* each : {&folder, &none}) {
    each->keep("a", "code");
    CHECK_FALSE(each->find("a").has_value());
  }
}

TEST_CASE("a kernel is named by what it does") {
  const KernelSource a = name_by_content("k_", "void NAME() {}"), b = name_by_content("k_", "int NAME() {}");
  CHECK(a.name != b.name);
  CHECK(a.text == "void " + a.name + "() {}");
  CHECK(name_by_content("k_", "void NAME() {}").name == a.name);
}

// Returns a group of random steps over inputs that are read in all possible ways.
FusedArgs random_group(std::mt19937& random, int* inputs) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  FusedArgs out{};
  out.size = 3 * 5 * 64;
  *inputs = pick(1, kMostFusedInputs);
  for (int i = 0; i < *inputs; ++i) {
    out.input[i].type = static_cast<FusedType>(pick(0, 2));
    const int64_t periods[] = {out.size, out.size, 1, 64, 5 * 64, out.size};
    const int64_t each[] = {1, 1, 1, 1, 64, 320};
    const int kind = pick(0, 5);
    out.input[i].period = periods[kind];
    out.input[i].each = each[kind];
  }
  out.steps = pick(1, kMostFusedSteps);
  for (int s = 0; s < out.steps; ++s) {
    const int slots = std::min(s, kMostFusedSlots);
    const auto operand = [&]() -> uint8_t {
      const int kind = pick(0, slots > 0 ? 2 : 1);
      if (kind == 0) return static_cast<uint8_t>(kFusedInput + pick(0, *inputs - 1));
      if (kind == 1) return static_cast<uint8_t>(kFusedNumber + pick(0, kMostFusedNumbers - 1));
      return static_cast<uint8_t>(kFusedSlot + pick(0, slots - 1));
    };
    FusedStep& step = out.step[s];
    step.binary = static_cast<uint8_t>(pick(0, 1));
    step.op = static_cast<uint8_t>(
        pick(0, step.binary != 0 ? static_cast<int>(BinaryOp::kReluGrad) : static_cast<int>(UnaryOp::kAtanh)));
    step.a = operand();
    step.b = operand();
    step.f16 = static_cast<uint8_t>(pick(0, 1));
    step.slot = static_cast<uint8_t>(s % kMostFusedSlots);
    step.alpha = 0.5f;
    step.beta = -1.0f;
  }
  for (float& number : out.number) number = static_cast<float>(pick(-3, 3));
  return out;
}

TEST_CASE("NVIDIA's compiler takes the code of any group, for each kind of GPU") {
  const char* library = std::getenv("PERCALE_NVRTC");
  Compiler compiler(library == nullptr ? "" : library, "");
  if (!compiler.is_there()) {
    MESSAGE("skipped: there is no libnvrtc");
    return;
  }
  std::mt19937 random(5);
  for (int round = 0; round < 24; ++round) {
    int inputs = 0;
    const FusedArgs group = random_group(random, &inputs);
    const FusedCode code = code_of(group, inputs, static_cast<FusedType>(round % 3));
    CAPTURE(code.source.text);
    const int archs[] = {80, 90, 100};
    const std::string image = compiler.compile(code.source, archs[round / 3 % 3]);
    CHECK(image.substr(0, 4) ==
          "\x7f"
          "ELF");
    CHECK(image.find(code.source.name) != std::string::npos);
  }
  CHECK_THROWS_WITH_AS(compiler.compile({"k", "PERCALE_KERNEL(k, FusedCodeArgs, 256) { unknown(); }\n"}, 90),
                       doctest::Contains("unknown"), Failure);
}

}  // namespace
}  // namespace percale::cuda

// Data sets that are larger than memory: rows are read from mapped files.
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <new>

#include "core/checkpoint/npy.h"
#include "core/file/file.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kRows = 160'000, kWidth = 64;  // 40 MB of f32
constexpr int64_t kMemory = 6 << 20;             // limit of the engine
constexpr int64_t kHeap = 16 << 20;              // allowed growth of the process

// A sanitizer's allocator does not respect the process limit and does not survive it. The engine's
// own limit applies there too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHeapIsLimited = false;
#else
constexpr bool kHeapIsLimited = true;
#endif

// Limits the private memory of the process to a little above its current size; mapped files do not
// count.
class HeapLimit {
 public:
  HeapLimit() {
    if (!kHeapIsLimited) return;
    std::ifstream status("/proc/self/status");
    std::string word;
    int64_t kilobytes = 0;
    while (status >> word) {
      if (word == "VmData:") status >> kilobytes;
    }
    REQUIRE(kilobytes > 0);
    REQUIRE(getrlimit(RLIMIT_DATA, &before_) == 0);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(kilobytes * 1024 + kHeap);
    REQUIRE(setrlimit(RLIMIT_DATA, &now) == 0);
  }
  ~HeapLimit() {
    if (kHeapIsLimited) setrlimit(RLIMIT_DATA, &before_);
  }
  // False if the system took the limit and ignores it, as QEMU does.
  bool is_kept() const {
    rlimit now;
    return kHeapIsLimited && getrlimit(RLIMIT_DATA, &now) == 0 && now.rlim_cur != before_.rlim_cur;
  }
  HeapLimit(const HeapLimit&) = delete;
  HeapLimit& operator=(const HeapLimit&) = delete;

 private:
  rlimit before_{};
};

float element(int64_t i) { return static_cast<float>((i * 2654435761 % 1000) - 500) / 500.0f; }

void write(const std::string& path, const std::string& head, const char* data, int64_t bytes) {
  std::ofstream out(path, std::ios::binary);
  out << head;
  out.write(data, bytes);
  REQUIRE(out.good());
}

// Writes rows [from, to) as safetensors whose data begins 4 bytes after a multiple of 64.
void write_safetensors_unaligned(const std::string& path, const std::vector<float>& x, int64_t from, int64_t to) {
  const int64_t bytes = (to - from) * kWidth * 4;
  std::string header =
      str_cat(R"({"x":{"dtype":"F32","shape":[)", to - from, ",", kWidth, R"(],"data_offsets":[0,)", bytes, "]}}");
  while ((8 + header.size()) % 64 != 4) header += ' ';
  std::string head(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(head.data(), &length, 8);
  write(path, head + header, reinterpret_cast<const char*>(x.data() + from * kWidth), bytes);
}

// Writes the header as old versions of NumPy did: a multiple of 16 bytes, here not of 64.
void write_npy_unaligned(const std::string& path, const std::vector<float>& x) {
  std::string header = str_cat("{'descr': '<f4', 'fortran_order': False, 'shape': (", kRows, ", ", kWidth, "), }");
  while ((10 + header.size() + 1) % 64 != 16) header += ' ';
  header += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += {static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  write(path, head + header, reinterpret_cast<const char*>(x.data()), kRows * kWidth * 4);
}

std::string spec_of(const std::string& x) {
  return str_cat(
      R"({"model": [{"layer": "Dense", "units": 3}], "loss": "sparse_categorical_crossentropy", "from_logits": true,
      "optimizer": "adam", "batch_size": 2000, "epochs": 1, "seed": 7, "shards": 2, "shuffle": true,
      "data": {"train": {"x": )",
      x, R"(, "y": "y.npy", "scale": 0.5}}})");
}

std::string train(const std::string& folder, const std::string& x, int64_t memory_limit) {
  EngineOptions options;
  options.threads = 1;
  options.devices = "cpu:0";
  options.memory_limit = memory_limit;
  const auto engine = make_test_engine(options);
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  const auto trainer = trainer_from_spec(*engine, spec_of(x), folder, "");
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
  if (memory_limit > 0) CHECK((*engine)->memory()->peak() <= memory_limit);
  return (*trainer)->variables()->digest();
}

}  // namespace

TEST_CASE("data of many times the memory trains as data in memory does, from one file or many, aligned or not") {
  const TempFolder folder;
  std::string many = "[", plain, bytes_plain;
  {
    std::vector<float> x(static_cast<size_t>(kRows * kWidth));
    std::vector<unsigned char> bytes(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = element(static_cast<int64_t>(i));
    for (size_t i = 0; i < x.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7 % 251);
    std::vector<int32_t> y(static_cast<size_t>(kRows));
    for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<int32_t>(i % 3);
    REQUIRE_OK(write_npy(folder / "y.npy", Tensor::vector(std::span<const int32_t>(y))));
    write_safetensors_unaligned(folder / "x.safetensors", x, 0, kRows);
    write_npy_unaligned(folder / "x.npy", x);
    REQUIRE_OK(write_npy(folder / "aligned.npy", Tensor::of(Shape{kRows, kWidth}, std::span<const float>(x))));
    for (int64_t part = 0; part < 40; ++part) {
      const std::string name = str_cat("part", part, ".safetensors");
      write_safetensors_unaligned(folder / name, x, part * kRows / 40, (part + 1) * kRows / 40);
      many += str_cat(part == 0 ? "" : ", ", "\"", name, "\"");
    }
    many += "]";
    std::string head("\0\0\x08\x02", 4);
    for (int64_t dim : {kRows, kWidth}) {
      for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(dim >> shift);
    }
    write(folder / "x.idx", head, reinterpret_cast<const char*>(bytes.data()), kRows * kWidth);
    REQUIRE_OK(
        write_npy(folder / "bytes.npy", Tensor::of(Shape{kRows, kWidth}, std::span<const unsigned char>(bytes))));
    plain = train(folder.path(), "\"aligned.npy\"", 0);
    bytes_plain = train(folder.path(), "\"bytes.npy\"", 0);
  }
  const HeapLimit limit;
  if (limit.is_kept()) {
    // A copy of the data is refused.
    CHECK_THROWS_AS(Buffer::allocate_uncounted(kRows * kWidth * 4), std::bad_alloc);
  } else {
    MESSAGE("this system or sanitizer does not limit the memory of a process");
  }
  for (const std::string& x :
       {std::string("\"x.safetensors\""), std::string("\"x.npy\""), many, std::string("\"aligned.npy\"")}) {
    CAPTURE(x);
    CHECK(train(folder.path(), x, kMemory) == plain);
  }
  CHECK(train(folder.path(), "\"x.idx\"", kMemory) == bytes_plain);
}

}  // namespace percale

// Replaces libFuzzer for compilers without it (g++). Runs the corpus, then mutated inputs, each
// drawn from a seed. If the code under test is compiled with -fsanitize-coverage=trace-pc, inputs
// that reach new code join the corpus.
//
// Flags are those of libFuzzer: -runs=N -seed=N -max_total_time=SECONDS -timeout=SECONDS
// -max_len=BYTES -artifact_prefix=PATH, then files and folders of inputs. An input that crashes,
// aborts, causes a sanitizer's report or takes too long is written to PATH + "crash" and reported;
// exit code 1.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Defined by targets that have a mutator.
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                                                unsigned int seed);
// Defined if the program is built with a sanitizer.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

// UBSan has a runtime of its own and would end the program without calling the callback.
extern "C" __attribute__((visibility("default"))) const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

namespace {

// A hit counter per code location, in classes: once, twice, a few times, often.
constexpr size_t kPlaces = size_t{1} << 18;
std::array<uint8_t, kPlaces> hits, seen;

}  // namespace

// Called from each basic block of instrumented code.
extern "C" __attribute__((visibility("default"), no_sanitize("all"))) void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  uint8_t& count = hits[(place ^ place >> 18) % kPlaces];
  if (count < 255) ++count;
}

namespace {

using Bytes = std::vector<uint8_t>;

class Random {  // splitmix64
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }

 private:
  uint64_t state_;
};

struct Settings {
  uint64_t runs = UINT64_MAX, seed = 1;
  double total_seconds = 1e9, timeout = 20;
  size_t max_len = 1 << 16;
  std::string artifact;
  std::vector<std::string> inputs;
};

bool new_places() {
  bool found = false;
  for (size_t i = 0; i < kPlaces; ++i) {
    if (hits[i] == 0) continue;
    const int bit = hits[i] == 1 ? 1 : hits[i] == 2 ? 2 : hits[i] < 8 ? 4 : hits[i] < 64 ? 8 : 16;
    found = found || (seen[i] & bit) == 0;
    seen[i] = static_cast<uint8_t>(seen[i] | bit);
  }
  return found;
}

// Moves, repeats and removes chunks, changes bytes and numbers, and copies parts of another input.
void mutate(Bytes& bytes, const Bytes& other, size_t max_len, Random& random) {
  static constexpr std::array<uint64_t, 14> kEvil = {
      0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x7FFFFFFF, 0x80000000, UINT32_MAX, 0x100000000U, INT64_MAX, 64, UINT64_MAX};
  for (size_t changes = 1 + random.below(6); changes > 0; --changes) {
    if (bytes.empty()) bytes.push_back(static_cast<uint8_t>(random.next()));
    const size_t at = random.below(bytes.size());
    const auto here = bytes.begin() + static_cast<ptrdiff_t>(at);
    const size_t length = std::min(bytes.size() - at, 1 + random.below(1 + random.below(64)));
    const auto end = here + static_cast<ptrdiff_t>(length);
    switch (random.below(10)) {
      case 0: *here = static_cast<uint8_t>(random.next()); break;
      case 1: *here = static_cast<uint8_t>(*here ^ (1 << random.below(8))); break;
      case 2: *here = static_cast<uint8_t>(*here + (random.below(2) == 0 ? 1 : 255)); break;
      case 3: {  // a number of 1, 2, 4 or 8 bytes at an aligned position
        const size_t width = size_t{1} << random.below(4), place = at / width * width;
        const uint64_t number = kEvil[random.below(kEvil.size())];
        if (place + width <= bytes.size()) std::memcpy(bytes.data() + place, &number, width);
        break;
      }
      case 4: bytes.erase(here, end); break;
      case 5: {
        const Bytes part(here, end);
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(random.below(bytes.size())), part.begin(), part.end());
        break;
      }
      case 6: {
        const size_t from = random.below(bytes.size() - length + 1);
        std::memmove(bytes.data() + at, bytes.data() + from, std::min(length, bytes.size() - from));
        break;
      }
      case 7:
      case 8:
        if (!other.empty()) {
          const size_t from = random.below(other.size()), count = std::min(other.size() - from, 1 + random.below(256));
          const auto first = other.begin() + static_cast<ptrdiff_t>(from);
          if (random.below(2) == 0) bytes.erase(here, end);
          bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(std::min(at, bytes.size())), first,
                       first + static_cast<ptrdiff_t>(count));
        }
        break;
      default: bytes.insert(here, 1 + random.below(16), static_cast<uint8_t>(random.next())); break;
    }
  }
  if (bytes.size() > max_len) bytes.resize(max_len);
}

// State that a target's own mutator may use during one of its calls.
Random* mutator_random = nullptr;
const Bytes* mutator_other = nullptr;

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  Bytes bytes(data, data + size);
  mutate(bytes, *mutator_other, max_size, *mutator_random);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

namespace {

void mutate_input(Bytes& bytes, const Bytes& other, size_t max_len, Random& random) {
  if (LLVMFuzzerCustomMutator == nullptr) {
    mutate(bytes, other, max_len, random);
    return;
  }
  mutator_random = &random;
  mutator_other = &other;
  const size_t size = std::min(bytes.size(), max_len);
  bytes.resize(max_len);
  bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, max_len, static_cast<unsigned int>(random.next())));
}

void gather(const std::string& path, const Settings& settings, std::vector<Bytes>& out, int depth = 0) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0 || depth > 8) return;
  if (S_ISDIR(facts.st_mode)) {
    std::vector<std::string> names;
    if (DIR* folder = opendir(path.c_str())) {
      while (const dirent* entry = readdir(folder)) names.emplace_back(entry->d_name);
      closedir(folder);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (name != "." && name != "..") gather(path + "/" + name, settings, out, depth + 1);
    }
  } else if (facts.st_size <= static_cast<off_t>(settings.max_len)) {
    std::ifstream file(path, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
}

// The current input, for the callbacks of signals and sanitizers.
const Bytes* current = nullptr;
std::string artifact_path;

void keep_current() {
  if (current == nullptr) return;
  const int file = open(artifact_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  const ssize_t wrote = write(file, current->data(), current->size());
  close(file);
  char line[4200];
  const int size = std::snprintf(line, sizeof line, "\nthe input: %s (%zu of %zu bytes)\n", artifact_path.c_str(),
                                 wrote < 0 ? size_t{0} : static_cast<size_t>(wrote), current->size());
  if (size > 0 && write(2, line, static_cast<size_t>(size)) < 0) return;
}

void on_signal(int number) {
  keep_current();
  current = nullptr;
  signal(number, SIG_DFL);
  raise(number);
}

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Fuzzer {
 public:
  explicit Fuzzer(const Settings& settings) : settings_(settings) {}

  // Returns 0, or 1 after a finding.
  int run() {
    for (const std::string& path : settings_.inputs) gather(path, settings_, corpus_);
    const double begin = seconds(CLOCK_MONOTONIC);
    const size_t given = corpus_.size();
    uint64_t done = 0;
    for (size_t i = 0; i < given && done < settings_.runs; ++i, ++done) {
      if (!execute(corpus_[i])) return 1;
    }
    corpus_.emplace_back();
    while (done < settings_.runs && seconds(CLOCK_MONOTONIC) - begin < settings_.total_seconds) {
      // Each input has a seed of its own. It depends only on the corpus, not on the number of
      // inputs before it.
      Random random(settings_.seed * 1000003 + done);
      Bytes bytes = corpus_[random.below(corpus_.size())];
      mutate_input(bytes, corpus_[random.below(corpus_.size())], settings_.max_len, random);
      if (!execute(bytes)) return 1;
      if (new_) corpus_.push_back(std::move(bytes));
      ++done;
    }
    std::printf(
        "seed %llu: %llu executions in %.1f s, corpus of %zu inputs and %zu found, slowest %.3f s, no finding\n",
        static_cast<unsigned long long>(settings_.seed), static_cast<unsigned long long>(done),
        seconds(CLOCK_MONOTONIC) - begin, given, corpus_.size() - given - 1, slowest_);
    return 0;
  }

 private:
  bool execute(const Bytes& bytes) {
    // The copy has exactly the size of the input, so that a sanitizer detects reads beyond it.
    const Bytes copy(bytes);
    current = &copy;
    hits.fill(0);
    alarm(static_cast<unsigned>(settings_.timeout * 4) + 1);
    const double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
    const double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
    alarm(0);
    slowest_ = std::max(slowest_, took);
    new_ = new_places();
    if (took > settings_.timeout) {
      std::fprintf(stderr, "it took %.1f s\n", took);
      keep_current();
    }
    current = nullptr;
    return took <= settings_.timeout;
  }

  const Settings& settings_;
  std::vector<Bytes> corpus_;
  double slowest_ = 0;
  bool new_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const size_t equals = argument.find('=');
    if (argument[0] != '-' || equals == std::string_view::npos) {
      settings.inputs.emplace_back(argument);
      continue;
    }
    const std::string_view key = argument.substr(1, equals - 1);
    const char* value = argv[i] + equals + 1;
    if (key == "runs") settings.runs = std::strtoull(value, nullptr, 10);
    if (key == "seed") settings.seed = std::strtoull(value, nullptr, 10);
    if (key == "max_total_time") settings.total_seconds = std::strtod(value, nullptr);
    if (key == "timeout") settings.timeout = std::strtod(value, nullptr);
    if (key == "max_len") settings.max_len = std::strtoull(value, nullptr, 10);
    if (key == "artifact_prefix") settings.artifact = value;
  }
  artifact_path = settings.artifact + "crash";
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_current);
  for (const int number : {SIGABRT, SIGALRM, SIGFPE, SIGILL}) signal(number, on_signal);
  if (__sanitizer_set_death_callback == nullptr) {
    signal(SIGSEGV, on_signal);
    signal(SIGBUS, on_signal);
  }
  return Fuzzer(settings).run();
}

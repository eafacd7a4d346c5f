// Draws nodes of every op that has a CPU kernel or a body. Most are wrong in some way: indices from
// {-1, n, n + 1, INT_MIN, INT_MAX}, absent inputs, rank 0, dims of 0, other dtypes, extreme
// attributes. Each goes through builder, validator, session and run. The outcome must be an error,
// or a result of which every byte is written, in less than a second. A crash or a sanitizer's
// report names the case, which `--first` repeats.
// Usage: op_contract [--cases N] [--seed S] [--first I] [--op NAME]
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/fuzz/op_runner.h"
#include "tests/support/engine.h"

// Defined if the program is built with a sanitizer.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace percale {
namespace {

constexpr double kMaxSeconds = 1;

#if defined(__SANITIZE_ADDRESS__)
constexpr double kSlowdown = 10;
#else
constexpr double kSlowdown = 1;
#endif

// The current case, for the callbacks of signals and sanitizers.
volatile uint64_t current_case = 0;
uint64_t current_seed = 0;

void name_case() {
  char line[128];
  const int size =
      std::snprintf(line, sizeof line, "\nthe case: --seed %llu --first %llu --cases 1\n",
                    static_cast<unsigned long long>(current_seed), static_cast<unsigned long long>(current_case));
  if (size > 0 && write(2, line, static_cast<size_t>(size)) < 0) return;
}

void on_signal(int number) {
  name_case();
  signal(number, SIG_DFL);
  raise(number);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int main_of(int argc, char** argv) {
  uint64_t cases = 2000, seed = 1, first = 0;
  std::string_view only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    if (key == "--cases") cases = std::strtoull(argv[i + 1], nullptr, 10);
    if (key == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (key == "--first") first = std::strtoull(argv[i + 1], nullptr, 10);
    if (key == "--op") only = argv[i + 1];
  }
  EngineOptions options;
  options.threads = 1;
  options.memory_limit = kMemory;
  const auto engine = make_test_engine(options);
  auto rows = load_op_cases(PERCALE_OP_TABLES);
  if (!engine.ok() || !rows.ok()) {
    std::fprintf(stderr, "%s\n", (engine.ok() ? rows.status() : engine.status()).to_string().c_str());
    return 2;
  }
  current_seed = seed;
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(name_case);
  for (const int number : {SIGABRT, SIGALRM, SIGFPE}) signal(number, on_signal);
  if (__sanitizer_set_death_callback == nullptr) signal(SIGSEGV, on_signal);
  const Drafts drafts(*(*engine)->registry(), std::move(rows).value());
  OpRunner runner(*engine);
  if (!only.empty() && !drafts.has(only)) {
    std::fprintf(stderr, "--op %.*s: no op of that name has a CPU kernel or a body\n", static_cast<int>(only.size()),
                 only.data());
    return 2;
  }
  uint64_t ran = 0, findings = 0;
  std::map<std::string, uint64_t> runs_of;
  for (uint64_t i = first; i < first + cases && findings < 20; ++i) {
    current_case = i;
    alarm(60);
    const double begin = cpu_seconds();
    Random random(seed * 1000003 + i);
    const Draft draft = drafts.draw(only, random);
    const std::string op = op_name(*draft.schema);
    const bool done = runner.run(draft, random);
    const double took = cpu_seconds() - begin;
    if (done) ++ran, ++runs_of[op];
    if (took > kMaxSeconds * kSlowdown) runner.finding = str_cat("it took ", took, " s");
    if (runner.finding.empty()) continue;
    ++findings;
    std::fprintf(stderr, "%s: %s\n", op.c_str(), runner.finding.c_str());
    name_case();
  }
  alarm(0);
  std::printf("seed %llu: %llu cases over %zu ops, of which %llu ran (%zu ops), %llu findings\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(cases), drafts.ops(),
              static_cast<unsigned long long>(ran), runs_of.size(), static_cast<unsigned long long>(findings));
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace percale

int main(int argc, char** argv) { return percale::main_of(argc, argv); }

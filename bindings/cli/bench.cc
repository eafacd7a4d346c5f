#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "api.h"
#include "commands.h"
#include "compare.h"

namespace percale_cli {
namespace {

constexpr Flag kFlags[] = {
    {"--feed-shape", "NAME=1,3,224,224", "the shape of an input; unknown dims become 1"},
    {"--runs", "N", "runs that are measured; default: as many as fit in a second, at least 10"},
};

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

// User and system time of all threads of the process.
double cpu_microseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

struct Times {
  std::vector<double> runs;  // sorted
  double cpu = 0;
};

Times measure(percale_call* call, const std::vector<percale_tensor*>& inputs,
              const std::vector<percale_tensor*>& outputs, int64_t runs) {
  const auto once = [&] {
    const auto start = Clock::now();
    check(percale_call_run(call, inputs.data(), outputs.data()));
    return microseconds(Clock::now() - start);
  };
  once();
  const double warm = std::min(once(), once());
  if (runs == 0) runs = std::clamp<int64_t>(static_cast<int64_t>(1e6 / std::max(warm, 1.0)), 10, 100000);
  Times out;
  out.runs.reserve(static_cast<size_t>(runs));
  const double cpu = cpu_microseconds();
  for (int64_t i = 0; i < runs; ++i) out.runs.push_back(once());
  out.cpu = (cpu_microseconds() - cpu) / static_cast<double>(runs);
  std::sort(out.runs.begin(), out.runs.end());
  return out;
}

// What precision=bf16 costs: the outputs beside those of the same run in f32, each output's accuracy.
std::vector<Accuracy> accuracy_of_bf16(const Setup& setup, const Model& model, const Feeds& feeds,
                                       const std::vector<const char*>& fetches, const std::vector<percale_tensor*>& in,
                                       const std::vector<percale_tensor*>& out,
                                       const std::vector<percale_tensor*>& f32) {
  check(percale_options_set(setup.session_options.get(), "precision", "f32"));
  const Session session = make_session(setup, model);
  percale_call* made = nullptr;
  check(percale_call_create(session.get(), feeds.names.data(), feeds.dtypes.data(), feeds.dims.data(),
                            feeds.ranks.data(), feeds.count(), fetches.data(), fetches.size(), &made));
  const Call call(made);
  check(percale_call_run(made, in.data(), f32.data()));
  std::vector<Accuracy> all;
  for (size_t i = 0; i < out.size(); ++i) all.push_back(accuracy(out[i], f32[i]));
  return all;
}

int run_bench(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  const int64_t runs = args.integer("--runs", 0, 1);
  const auto start = Clock::now();
  const Model model(setup, args.positional()[0]);
  const Session session = make_session(setup, model);
  const std::vector<Value> inputs = shaped_inputs(model, args);
  const Feeds feeds = feeds_of(inputs);
  const auto fetches = names_of(model.outputs);
  percale_call* made = nullptr;
  check(percale_call_create(session.get(), feeds.names.data(), feeds.dtypes.data(), feeds.dims.data(),
                            feeds.ranks.data(), feeds.count(), fetches.data(), fetches.size(), &made));
  const Call call(made);
  const double load_ms = microseconds(Clock::now() - start) / 1000;

  const std::vector<Tensor> in = sample_tensors(setup, inputs);
  std::vector<Value> output_types(fetches.size());
  for (size_t i = 0; i < fetches.size(); ++i) {
    size_t rank = 0;
    output_types[i].name = fetches[i];
    output_types[i].dims.resize(8);
    check(percale_call_output_type(made, i, &output_types[i].dtype, output_types[i].dims.data(), &rank));
    output_types[i].dims.resize(rank);
  }
  const std::vector<Tensor> out = sample_tensors(setup, output_types);
  const Times times = measure(made, pointers(in), pointers(out), runs);
  std::vector<Accuracy> accuracies;
  if (setup.bf16) {
    const std::vector<Tensor> f32 = sample_tensors(setup, output_types);
    accuracies = accuracy_of_bf16(setup, model, feeds, fetches, pointers(in), pointers(out), pointers(f32));
  }
  percale_text* text = nullptr;
  check(percale_session_stats(session.get(), &text));
  const Json stats = Json::parse(take_text(text));
  const auto at = [&](double part) {
    return times
        .runs[std::min(times.runs.size() - 1, static_cast<size_t>(part * static_cast<double>(times.runs.size())))];
  };
  const auto planned = static_cast<long long>(stats["planned_peak_bytes"].integer());
  const auto measured = static_cast<long long>(stats["measured_peak_bytes"].integer());
  if (args.json()) {
    std::printf(
        "{\"runs\":%zu,\"min_us\":%.3f,\"median_us\":%.3f,\"p99_us\":%.3f,\"cpu_us\":%.3f,\"load_ms\":%.3f,"
        "\"planned_peak_bytes\":%lld,\"measured_peak_bytes\":%lld",
        times.runs.size(), times.runs[0], at(0.5), at(0.99), times.cpu, load_ms, planned, measured);
    for (size_t i = 0; i < accuracies.size(); ++i) {
      std::printf("%s{\"output\":%s,\"cosine\":%s,\"error\":%s}", i == 0 ? ",\"accuracy\":[" : ",",
                  json_string(fetches[i]).c_str(), json_number(accuracies[i].cosine).c_str(),
                  json_number(accuracies[i].error).c_str());
    }
    std::puts(accuracies.empty() ? "}" : "]}");
    return 0;
  }
  std::printf("runs          %zu\n", times.runs.size());
  std::printf("min           %.1f us\nmedian        %.1f us\np99           %.1f us\n", times.runs[0], at(0.5),
              at(0.99));
  std::printf("CPU per run   %.1f us\nload          %.2f ms\n", times.cpu, load_ms);
  std::printf("planned peak  %lld bytes\nmeasured peak %lld bytes\n", planned, measured);
  for (size_t i = 0; i < accuracies.size(); ++i) {
    std::printf("against f32   %s: cosine %.6f, largest error %.2g of the largest value\n", fetches[i],
                accuracies[i].cosine, accuracies[i].error);
  }
  return 0;
}

}  // namespace

extern const Command kBench = {"bench",
                               "MODEL [--feed-shape NAME=1,3,224,224]... [--runs N]",
                               "Times of a run, load time, planned and measured peak of memory.",
                               kFlags,
                               run_bench,
                               1,
                               1};

}  // namespace percale_cli

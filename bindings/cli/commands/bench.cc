#include <algorithm>
#include <chrono>
#include <cstdio>

#include "api.h"
#include "commands.h"
#include "compare.h"
#include "system/system.h"

namespace percale_cli {
namespace {

constexpr Flag kBenchFlags[] = {
    {"--feed-shape", "NAME=1,3,224,224", "Shape of an input; unknown dims become 1."},
    {"--runs", "N", "Number of runs to measure; default: as many as fit into a second, at least 10."},
};

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

struct Times {
  std::vector<double> runs;  // sorted
  double cpu = 0;
};

// Runs a model repeatedly with the same feeds, using a prepared call. If the shape of an output
// depends on values, no call can be prepared, and each run allocates its outputs.
class Runs {
 public:
  Runs(const Setup& setup, const Session& session, const std::vector<Value>& inputs,
       const std::vector<const char*>& fetches)
      : session_(session.get()), feeds_(feeds_of(inputs)), fetches_(fetches), in_(sample_tensors(setup, inputs)) {
    percale_call* made = nullptr;
    percale_status* status =
        percale_call_create(session_, feeds_.names.data(), feeds_.dtypes.data(), feeds_.dims.data(),
                            feeds_.ranks.data(), feeds_.count(), fetches_.data(), fetches_.size(), &made);
    if (percale_status_code(status) == PERCALE_FAILED_PRECONDITION) {
      percale_status_release(status);
      out_.resize(fetches_.size());
      return;
    }
    check(status);
    call_.reset(made);
    std::vector<Value> types(fetches_.size());
    for (size_t i = 0; i < types.size(); ++i) {
      size_t rank = 0;
      types[i].name = fetches_[i];
      types[i].dims.resize(8);
      check(percale_call_output_type(made, i, &types[i].dtype, types[i].dims.data(), &rank));
      types[i].dims.resize(rank);
    }
    out_ = sample_tensors(setup, types);
  }

  void once() {
    const auto in = pointers(in_);
    if (call_ != nullptr) return check(percale_call_run(call_.get(), in.data(), pointers(out_).data()));
    std::vector<percale_tensor*> made(fetches_.size());
    check(percale_session_run(session_, feeds_.names.data(), in.data(), in.size(), fetches_.data(), fetches_.size(),
                              nullptr, 0, PERCALE_FOREVER, made.data()));
    for (size_t i = 0; i < made.size(); ++i) out_[i].reset(made[i]);
  }
  const std::vector<Tensor>& outputs() const { return out_; }

 private:
  percale_session* session_;
  Feeds feeds_;
  const std::vector<const char*>& fetches_;
  std::vector<Tensor> in_, out_;
  Call call_;
};

Times measure(Runs& model, int64_t runs) {
  const auto once = [&] {
    const auto start = Clock::now();
    model.once();
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

// Compares the outputs with those of the same run in f32. Returns the accuracy of each output.
std::vector<Accuracy> accuracy_of_bf16(const Setup& setup, const Model& model, const std::vector<Value>& inputs,
                                       const std::vector<const char*>& fetches, const Runs& bf16) {
  check(percale_options_set(setup.session_options.get(), "precision", "f32"));
  const Session session = make_session(setup, model);
  Runs f32(setup, session, inputs, fetches);
  f32.once();
  std::vector<Accuracy> all;
  for (size_t i = 0; i < fetches.size(); ++i) {
    all.push_back(accuracy(bf16.outputs()[i].get(), f32.outputs()[i].get()));
  }
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
  const auto fetches = names_of(model.outputs);
  Runs model_runs = with_guessed_dims(model, args, [&] { return Runs(setup, session, inputs, fetches); });
  const double load_ms = microseconds(Clock::now() - start) / 1000;
  const Times times = with_guessed_dims(model, args, [&] { return measure(model_runs, runs); });
  std::vector<Accuracy> accuracies;
  if (setup.bf16) accuracies = accuracy_of_bf16(setup, model, inputs, fetches, model_runs);
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
    print(stdout, "against f32   %s: cosine %.6f, largest error %.2g of the largest value\n", fetches[i],
          accuracies[i].cosine, accuracies[i].error);
  }
  return 0;
}

}  // namespace

extern const Command kBench = {"bench",
                               "MODEL [--feed-shape NAME=1,3,224,224]... [--runs N]",
                               "Measures run times, load time, and planned and actual peak memory.",
                               kBenchFlags,
                               run_bench,
                               1,
                               1};

}  // namespace percale_cli

#include "devices/onednn/support/primitive.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "oneapi/dnnl/dnnl_threadpool.hpp"

namespace percale::onednn {
namespace {

// Presents the library's threads to oneDNN, for one run.
class Pool final : public dnnl::threadpool_interop::threadpool_iface {
 public:
  Pool(const percale_host_api& host, int pieces) : host_(host), pieces_(pieces) {}

  void begin(percale_run_context* run) { run_ = run; }

  int get_num_threads() const override { return pieces_; }
  bool get_in_parallel() const override { return in_parallel_; }
  uint64_t get_flags() const override { return 0; }
  void parallel_for(int n, const std::function<void(int, int)>& body) override {
    // Only the calling thread reads this flag, between the loops and within its own pieces.
    in_parallel_ = true;
    in_parallel(host_, run_, n, [&](int64_t piece) { body(static_cast<int>(piece), n); });
    in_parallel_ = false;
  }

 private:
  const percale_host_api& host_;
  const int pieces_;
  percale_run_context* run_ = nullptr;
  bool in_parallel_ = false;
};

}  // namespace

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

bool has_amx() {
  static const bool has_it = [] {
    constexpr auto kAmx = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_amx);
    return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kAmx) == kAmx;
  }();
  return has_it;
}

// Returns a power of two, so that threads get equal shares: oneDNN gives a piece whole blocks, and
// twelve pieces of seven blocks keep two threads busy for the time of eight. Large problems have at
// least four pieces of about 10 MFLOP each. From eight pieces on, a piece is larger. oneDNN cuts
// work for many threads into smaller blocks, which are slower on few threads: convolutions and
// products of 100 to 250 MFLOP take up to a tenth longer in sixteen pieces. With AMX a piece is
// twelve times as large, and work of up to two such pieces is cut in two. Otherwise the fixed cost
// of each piece, the tile set-up and copies of its operands, would take a fifth of the time.
int pieces_for(double flops, DataType type) {
  if (flops < 1e6) return 1;
  const bool tiles = type != DataType::f32 && has_amx();
  const double worth = tiles ? 120e6 : 10e6, few = tiles ? 2 : 4, several = tiles ? 16 : 8, most = 64;
  const auto pieces = [&](double each) { return std::exp2(std::ceil(std::log2(flops / each))); };
  return static_cast<int>(std::min(most, std::max({few, std::min(several, pieces(worth)), pieces(6.4 * worth)})));
}

WidthScope::WidthScope(int pieces) {
  dnnl_threadpool_interop_get_max_concurrency(&before_);
  dnnl_threadpool_interop_set_max_concurrency(pieces);
}
WidthScope::~WidthScope() { dnnl_threadpool_interop_set_max_concurrency(before_); }

struct Primitive::Run {
  Pool pool;
  dnnl::stream stream;
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;
  std::vector<int32_t> numbers;  // for each argument: its value, if it is widened

  Run(const percale_host_api& host, const std::vector<Argument>& given, int pieces)
      : pool(host, pieces), stream(dnnl::threadpool_interop::make_stream(cpu_engine(), &pool)), numbers(given.size()) {
    for (const Argument& a : given) {
      memories.emplace_back(a.desc, cpu_engine(), static_cast<void*>(nullptr));
      arguments.push_back({a.name, memories.back().get()});
    }
  }
};

Primitive::Primitive(const percale_host_api& host, dnnl::primitive primitive, std::vector<Argument> arguments,
                     int pieces)
    : host_(host), primitive_(std::move(primitive)), arguments_(std::move(arguments)), pieces_(pieces) {}

void Primitive::copy(percale_run_context* run, void* to, const void* from, size_t bytes) const {
  constexpr size_t kPiece = 256 << 10;
  in_parallel(host_, run, static_cast<int64_t>((bytes + kPiece - 1) / kPiece), [&](int64_t piece) {
    const size_t at = static_cast<size_t>(piece) * kPiece;
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, std::min(kPiece, bytes - at));
  });
}

Primitive::~Primitive() { delete idle_.load(); }

void Primitive::run(const percale_launch& launch) const {
  std::unique_ptr<Run> run(idle_.exchange(nullptr));
  if (run == nullptr) run = std::make_unique<Run>(host_, arguments_, pieces_);
  run->pool.begin(launch.run);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& a = arguments_[i];
    // kOwn is an input, which is only read.
    void* base = a.operand == Argument::kOwn       ? const_cast<char*>(a.bytes->data())
                 : a.operand == Argument::kScratch ? launch.scratch
                                                   : launch.operands[a.operand];
    if (a.widened != DataType::undef) {
      run->numbers[i] = a.widened == DataType::u8 ? int32_t{*static_cast<const uint8_t*>(base)}
                                                  : int32_t{*static_cast<const int8_t*>(base)};
      base = &run->numbers[i];
    }
    char* const at = static_cast<char*>(base) + a.offset;
    if (a.begins_as >= 0 && launch.operands[a.begins_as] != base) {
      copy(launch.run, at, static_cast<const char*>(launch.operands[a.begins_as]) + a.offset, a.desc.get_size());
    }
    run->memories[i].set_data_handle(at);
  }
  const DenormalsAreZero zero;
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive_.get(), run->stream.get(),
                                                 static_cast<int>(run->arguments.size()), run->arguments.data()),
                          "oneDNN failed to run the primitive");
  delete idle_.exchange(run.release());
}

}  // namespace percale::onednn

// Draws nodes of every op that has a CPU kernel or a body. Most are wrong in some way: indices from
// {-1, n, n + 1, INT_MIN, INT_MAX}, absent inputs, rank 0, dims of 0, other dtypes, extreme
// attributes. Each goes through builder, validator, session and run. The outcome must be an error,
// or a result of which every byte is written, in less than a second. A crash or a sanitizer's
// report names the case, which `--first` repeats.
// Usage: op_contract [--cases N] [--seed S] [--first I] [--op NAME]
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "core/autodiff/gradients.h"
#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/ops/op_case.h"
#include "tests/support/engine.h"

// Defined if the program is built with a sanitizer.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace percale {
namespace {

// Total limit, so that an unchecked size is rejected at once.
constexpr int64_t kMemory = int64_t{16} << 20;
constexpr int64_t kMaxElements = 4096;  // per input
constexpr double kMaxSeconds = 1;

#if defined(__SANITIZE_ADDRESS__)
constexpr double kSlowdown = 10;
#else
constexpr double kSlowdown = 1;
#endif

class Random {  // splitmix64: different seeds give unrelated sequences
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }
  bool one_in(size_t n) { return below(n) == 0; }
  template <class List>
  auto pick(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  uint64_t state_;
};

// A node before it is built.
struct Draft {
  const OpSchema* schema = nullptr;
  Attributes attributes;
  std::vector<Tensor> inputs;  // undefined: absent
  size_t outputs = 1;
};

// Returns a tensor over memory of exactly its size, so that a sanitizer detects accesses beyond it.
// Undefined if it needs more than the engine has.
Tensor exact_tensor(DType dtype, const Shape& shape) {
  const auto bytes = byte_size(dtype, shape);
  if (!bytes.ok() || *bytes > kMemory) return {};
  void* memory = nullptr;
  if (posix_memalign(&memory, static_cast<size_t>(kAlignment), static_cast<size_t>(std::max<int64_t>(*bytes, 1))) !=
      0) {
    return {};
  }
  auto buffer = Buffer::wrap(
      memory, *bytes, [](void*, void* data) { std::free(data); }, nullptr);
  auto out = Tensor::view(std::move(buffer), 0, dtype, shape);
  return out.ok() ? *out : Tensor();
}

constexpr std::array<int64_t, 16> kNumbers = {-1, 0,  1,  2,         3,         4,         5,         7,
                                              8,  -2, -3, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 1 << 20};

class Fuzzer {
 public:
  Fuzzer(std::shared_ptr<Engine> engine, std::vector<OpCase> rows) : engine_(std::move(engine)) {
    for (OpCase& row : rows) {
      rows_[row.op].push_back(row);
      for (const auto& [name, value] : row.attributes) {
        if (const auto* text = value.get_if<std::string>()) texts_.push_back(*text);
      }
    }
    for (const OpSchema* schema : engine_->registry()->ops()) {
      if (schema->body != nullptr || !engine_->registry()->kernels("cpu", *schema).empty()) ops_.push_back(schema);
    }
  }

  size_t ops() const { return ops_.size(); }
  bool has(std::string_view op) const {
    return std::any_of(ops_.begin(), ops_.end(), [&](const OpSchema* schema) { return op_name(*schema) == op; });
  }

  // Runs one case. Returns true if the node ran.
  bool run(uint64_t seed, std::string_view only) {
    Random random(seed);
    const OpSchema* schema = random.pick(ops_);
    while (!only.empty() && op_name(*schema) != only) schema = random.pick(ops_);
    Draft draft = begin(*schema, random);
    if (!random.one_in(8)) {
      const size_t changes = 1 + random.below(3);
      for (size_t i = 0; i < changes; ++i) change(draft, random);
    }
    op_ = op_name(*schema);
    return carry_out(draft, random);
  }

  const std::string& op() const { return op_; }
  std::string finding;  // of the last case; empty: no finding

 private:
  // Starts from a row of the tables, which is valid, or from the schema alone.
  Draft begin(const OpSchema& schema, Random& random) {
    const auto rows = rows_.find(op_name(schema));
    if (rows != rows_.end() && !random.one_in(6)) {
      const OpCase& row = rows->second[random.below(rows->second.size())];
      Draft out{&schema, row.attributes, {}, std::max<size_t>(1, row.expected.size())};
      for (const Tensor& t : row.inputs) out.inputs.push_back(t.num_elements() > kMaxElements ? Tensor() : t);
      return out;
    }
    Draft out{&schema, {}, {}, 1 + random.below(std::max<size_t>(1, schema.outputs.size()))};
    std::map<char, DType> groups;
    const Shape common = shape(random);
    size_t count = schema.inputs.size();
    if (schema.variadic()) count += random.below(3);
    for (size_t i = 0; i < count; ++i) {
      const InputSpec& spec = schema.input(i);
      if (spec.presence == Presence::kOptional && random.one_in(2)) {
        out.inputs.emplace_back();
        continue;
      }
      DType& dtype = groups[spec.group];
      if (spec.group == 0 || dtype == DType::kInvalid) dtype = dtype_in(spec.types, random);
      const Shape own = spec.bounds == Bounds::kShape ? Shape{static_cast<int64_t>(random.below(5))} : common;
      out.inputs.push_back(tensor(dtype, random.one_in(3) ? shape(random) : own, random));
    }
    for (const AttrSpec& spec : schema.attributes) {
      if (spec.required || random.one_in(3)) out.attributes.set(spec.name, attribute(spec, random));
    }
    return out;
  }

  void change(Draft& draft, Random& random) {
    const bool has_inputs = !draft.inputs.empty();
    const size_t at = has_inputs ? random.below(draft.inputs.size()) : 0;
    Tensor* input = has_inputs ? &draft.inputs[at] : nullptr;
    const OpSchema& schema = *draft.schema;
    switch (random.below(10)) {
      case 0:
        if (input != nullptr) *input = Tensor();
        break;
      case 1:
        if (input != nullptr) draft.inputs.erase(draft.inputs.begin() + static_cast<ptrdiff_t>(at));
        break;
      case 2: draft.inputs.push_back(tensor(dtype_in(dtypes::kAny, random), shape(random), random)); break;
      case 3:
      case 4:
        if (input != nullptr && input->defined())
          *input = tensor(input->dtype(), altered(input->shape(), random), random);
        break;
      case 5:
        if (input != nullptr && input->defined())
          *input = tensor(dtype_in(dtypes::kAny, random), input->shape(), random);
        break;
      case 6:  // other contents of the same type
        if (input != nullptr && input->defined()) *input = tensor(input->dtype(), input->shape(), random);
        break;
      case 7:
      case 8:
        if (!schema.attributes.empty()) {
          const AttrSpec& spec = schema.attributes[random.below(schema.attributes.size())];
          const AttrValue* now = draft.attributes.find(spec.name);
          if (random.one_in(6)) {
            draft.attributes.erase(spec.name);
          } else {
            draft.attributes.set(spec.name,
                                 now != nullptr && random.one_in(2) ? altered(*now, random) : attribute(spec, random));
          }
        }
        break;
      default: draft.outputs = random.below(schema.outputs.size() + 2); break;
    }
  }

  DType dtype_in(DTypeSet set, Random& random) {
    for (int i = 0; i < 40; ++i) {
      const auto dtype = static_cast<DType>(1 + random.below(static_cast<size_t>(kNumDTypes) - 1));
      if (set.contains(dtype) && dtype_bits(dtype) > 0) return dtype;
    }
    return DType::kF32;
  }

  static Shape shape(Random& random) {
    static constexpr std::array<int64_t, 10> kDims = {0, 1, 1, 2, 2, 3, 3, 4, 5, 8};
    Shape out;
    const size_t rank = random.one_in(12) ? 5 + random.below(4) : random.below(5);
    for (size_t i = 0; i < rank; ++i) out.push_back(random.pick(kDims));
    return out;
  }

  static Shape altered(const Shape& from, Random& random) {
    std::vector<int64_t> dims(from.begin(), from.end());
    const size_t at = dims.empty() ? 0 : random.below(dims.size());
    switch (random.below(6)) {
      case 0: dims.clear(); break;
      case 1:
        if (!dims.empty()) dims[at] = 0;
        break;
      case 2:
        if (!dims.empty()) dims[at] = std::max<int64_t>(0, dims[at] + (random.one_in(2) ? 1 : -1));
        break;
      case 3:
        if (!dims.empty()) dims.erase(dims.begin() + static_cast<ptrdiff_t>(at));
        break;
      case 4: dims.insert(dims.begin() + static_cast<ptrdiff_t>(at), static_cast<int64_t>(random.below(4))); break;
      default:
        if (!dims.empty()) dims[at] = static_cast<int64_t>(random.below(20));
    }
    if (dims.size() > kMaxRank) dims.resize(kMaxRank);
    Shape out;
    for (int64_t d : dims) out.push_back(d);
    return out;
  }

  AttrValue altered(const AttrValue& from, Random& random) {
    if (const auto* list = from.get_if<std::vector<int64_t>>()) {
      std::vector<int64_t> out = *list;
      const size_t at = out.empty() ? 0 : random.below(out.size());
      if (out.empty() || random.one_in(4)) {
        out.insert(out.begin() + static_cast<ptrdiff_t>(at), random.pick(kNumbers));
      } else if (random.one_in(4)) {
        out.erase(out.begin() + static_cast<ptrdiff_t>(at));
      } else {
        out[at] = random.pick(kNumbers);
      }
      return out;
    }
    if (from.get_if<int64_t>() != nullptr) return random.pick(kNumbers);
    if (from.get_if<double>() != nullptr) return number(random);
    if (from.get_if<std::string>() != nullptr) return text(random);
    if (const auto* tensor_value = from.get_if<Tensor>()) return tensor(tensor_value->dtype(), shape(random), random);
    return from;
  }

  AttrValue attribute(const AttrSpec& spec, Random& random) {
    switch (random.one_in(20) ? static_cast<AttrKind>(1 + random.below(8)) : spec.kind) {
      case AttrKind::kFloat: return number(random);
      case AttrKind::kInt: return random.pick(kNumbers);
      case AttrKind::kString: return text(random);
      case AttrKind::kTensor: return tensor(dtype_in(dtypes::kAny, random), shape(random), random);
      case AttrKind::kFunction: return FunctionRef{"main"};
      case AttrKind::kFloats: return std::vector<double>{number(random)};
      case AttrKind::kStrings: return std::vector<std::string>{text(random)};
      default: break;
    }
    std::vector<int64_t> out(random.below(5));
    for (int64_t& v : out) v = random.pick(kNumbers);
    return out;
  }

  std::string text(Random& random) { return texts_.empty() || random.one_in(8) ? "nonsense" : random.pick(texts_); }

  static double number(Random& random) {
    static constexpr std::array<double, 12> kValues = {0,
                                                       -0.0,
                                                       1,
                                                       -1,
                                                       0.5,
                                                       1e-30,
                                                       1e30,
                                                       1e308,
                                                       -1e308,
                                                       std::numeric_limits<double>::infinity(),
                                                       -std::numeric_limits<double>::infinity(),
                                                       std::numeric_limits<double>::quiet_NaN()};
    return random.pick(kValues);
  }

  // Returns a tensor of extremes, of small numbers, or of numbers near a dim.
  static Tensor tensor(DType dtype, const Shape& shape, Random& random) {
    if (dtype_bits(dtype) == 0 || !shape.is_static() || !byte_size(dtype, shape).ok()) return {};
    if (shape.num_elements() > kMaxElements) return {};
    Tensor out = exact_tensor(dtype, shape);
    if (!out.defined()) return {};
    auto* bytes = static_cast<unsigned char*>(out.data());
    const auto size = static_cast<size_t>(out.bytes());
    const size_t mood = random.below(4);
    if (dtype == DType::kBool) {
      for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.below(2));
    } else if (dtype == DType::kF32 || dtype == DType::kF64) {
      for (int64_t i = 0; i < out.num_elements(); ++i) {
        const double v =
            mood == 0 ? number(random) : static_cast<double>(random.below(2001)) / 1000 - (mood == 1 ? 1 : 0);
        if (dtype == DType::kF64) {
          out.mutable_span<double>()[static_cast<size_t>(i)] = v;
        } else {
          // A conversion that overflows is undefined in C++, so infinity is written explicitly.
          const bool large = std::abs(v) > static_cast<double>(std::numeric_limits<float>::max());
          out.mutable_span<float>()[static_cast<size_t>(i)] =
              large && !std::isinf(v)
                  ? std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(v > 0 ? 1 : -1))
                  : static_cast<float>(v);
        }
      }
    } else if (is_integer(dtype) && dtype_bits(dtype) >= 8 && mood != 3) {
      const auto width = static_cast<size_t>(dtype_bits(dtype) / 8);
      const auto near = static_cast<int64_t>(random.below(9));
      for (size_t i = 0; i + width <= size; i += width) {
        const int64_t v = mood == 0   ? random.pick(kNumbers)
                          : mood == 1 ? near + static_cast<int64_t>(random.below(3)) - 1
                                      : static_cast<int64_t>(random.below(4));
        std::memcpy(bytes + i, &v, width);  // little-endian: the low bytes
      }
    } else {
      for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(random.next());
    }
    return out;
  }

  // Adds an input as a constant, as a feed of known type, or as one with unknown dims, at random.
  Result<ValueId> add_value(FunctionBuilder& f, const Tensor& t, RunSpec& spec, std::vector<Tensor>& feeds,
                            Random& random) {
    if (random.one_in(3)) return f.add_constant(t);
    Shape declared = t.shape();
    if (random.one_in(3)) {
      for (size_t i = 0; i < declared.rank(); ++i) declared[i] = random.one_in(2) ? kUnknownDim : declared[i];
    }
    const std::string name = str_cat("in", static_cast<uint64_t>(feeds.size()));
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, f.add_input(name, t.dtype(), declared));
    spec.feeds.push_back(name);
    feeds.push_back(t);
    return id;
  }

  bool carry_out(const Draft& draft, Random& random) {
    finding.clear();
    Builder builder(engine_->registry());
    FunctionBuilder& f = builder.main();
    RunSpec spec;
    std::vector<Tensor> feeds;
    std::vector<ValueId> ids, floats;
    for (const Tensor& t : draft.inputs) {
      if (!t.defined()) {
        ids.push_back(kNoValue);
        continue;
      }
      const auto id = add_value(f, t, spec, feeds, random);
      if (!id.ok()) return false;
      ids.push_back(*id);
      if (is_float(t.dtype())) floats.push_back(*id);
    }
    const auto node = f.add_node(*draft.schema, ids, draft.attributes, draft.outputs, "node");
    if (!node.ok()) return false;
    std::vector<ValueId> outputs, float_outputs;
    for (const ValueId id : f.function().node(*node).outputs) {
      if (id == kNoValue) continue;
      outputs.push_back(id);
      if (is_float(f.type(id).dtype)) float_outputs.push_back(id);
    }
    if (!floats.empty() && !float_outputs.empty() && random.one_in(3)) {
      const auto slopes = gradients(f, float_outputs, floats);
      if (slopes.ok()) outputs.insert(outputs.end(), slopes->begin(), slopes->end());
    }
    std::sort(outputs.begin(), outputs.end());
    outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
    for (const ValueId id : outputs) spec.fetches.push_back(f.function().value(id).name);
    if (!f.set_outputs(outputs).ok()) return false;
    const auto graph = builder.finish();
    if (!graph.ok()) return note(graph.status());
    if (!(*graph)->variables.empty() || !engine_) return false;
    const auto session = Session::create(engine_, *graph, nullptr);
    if (!session.ok()) return note(session.status());
    return run_twice(**session, spec, feeds);
  }

  // Runs with outputs filled with two different patterns. A byte that differs was not written.
  bool run_twice(Session& session, const RunSpec& spec, const std::vector<Tensor>& feeds) {
    std::vector<ValueType> types;
    for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
    const auto plan = session.prepare(spec, types);
    if (!plan.ok()) return note(plan.status());
    std::vector<Tensor> results[2];
    for (int round = 0; round < 2; ++round) {
      for (const ValueType& type : Session::fetch_types(**plan)) {
        Tensor room = type.dtype == DType::kInvalid ? Tensor() : exact_tensor(type.dtype, type.shape);
        if (room.defined()) std::memset(room.data(), round == 0 ? 0xA5 : 0x5A, static_cast<size_t>(room.bytes()));
        results[round].push_back(std::move(room));
      }
      RunOptions options;
      options.step = 3;
      const Status status = session.run(**plan, feeds, results[round], options);
      if (!status.ok()) return note(status);
    }
    for (size_t i = 0; i < results[0].size(); ++i) {
      const Tensor &a = results[0][i], &b = results[1][i];
      if (a.bytes() != b.bytes() || std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) != 0) {
        finding = str_cat("output '", spec.fetches[i], "' ", a.dtype(), " ", a.shape(), " was not written whole");
      }
    }
    return true;
  }

  // An INTERNAL error is a finding.
  bool note(const Status& status) {
    if (status.code() == Code::kInternal) finding = status.to_string();
    return false;
  }

  const std::shared_ptr<Engine> engine_;
  std::map<std::string, std::vector<OpCase>> rows_;
  std::vector<std::string> texts_;
  std::vector<const OpSchema*> ops_;
  std::string op_;
};

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
  Fuzzer fuzzer(*engine, std::move(rows).value());
  if (!only.empty() && !fuzzer.has(only)) {
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
    const bool done = fuzzer.run(seed * 1000003 + i, only);
    const double took = cpu_seconds() - begin;
    if (done) ++ran, ++runs_of[fuzzer.op()];
    if (took > kMaxSeconds * kSlowdown) fuzzer.finding = str_cat("it took ", took, " s");
    if (fuzzer.finding.empty()) continue;
    ++findings;
    std::fprintf(stderr, "%s: %s\n", fuzzer.op().c_str(), fuzzer.finding.c_str());
    name_case();
  }
  alarm(0);
  std::printf("seed %llu: %llu cases over %zu ops, of which %llu ran (%zu ops), %llu findings\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(cases), fuzzer.ops(),
              static_cast<unsigned long long>(ran), runs_of.size(), static_cast<unsigned long long>(findings));
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace percale

int main(int argc, char** argv) { return percale::main_of(argc, argv); }

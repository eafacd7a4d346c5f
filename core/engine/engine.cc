#include "core/engine/engine.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/base/version_number.h"
#include "core/engine/open_devices.h"
#include "core/system/memory.h"
#include "core/system/process.h"

namespace percale {
namespace {

constexpr int32_t kMaxThreads = 4096;

}  // namespace

Device::Device(std::string name, const percale_device_api& api, int32_t index, void* handle,
               const percale_device_description& description, int32_t width, ParallelFor threads)
    : name_(std::move(name)),
      kind_(api.kind),
      api_(api),
      index_(index),
      handle_(handle),
      description_(description),
      width_(width),
      threads_(threads) {}

Device::~Device() { api_.close(handle_); }

ParallelFor Device::parallel() const {
  if (width_ == 0) return threads_;
  if (width_ == 1) return {};
  return {&Device::call_narrow, const_cast<Device*>(this)};
}

// Runs a loop on as many lanes as the device is wide. A lane takes the next piece until none is
// left. The pieces do not depend on the width, so the results are the same for every width.
void Device::call_narrow(void* device, int64_t pieces, ParallelFor::Body body, void* arg) {
  const auto& self = *static_cast<const Device*>(device);
  std::atomic<int64_t> next{0};
  self.threads_(std::min<int64_t>(pieces, self.width_), [&](int64_t) {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) body(arg, i);
  });
}

// Detects a fork by a word that is cleared in a forked child. If the system has none, the process
// id is compared instead.
class Engine::ForkMark {
 public:
  static Result<std::unique_ptr<ForkMark>> create() {
    std::unique_ptr<ForkMark> mark(new ForkMark);
    if (!os::map_fork_word(&mark->word_)) {
      return resource_exhausted("the system has no page of memory for the engine");
    }
    mark->process_ = os::process_id();
    return mark;
  }
  ~ForkMark() { os::unmap_fork_word(word_); }
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;

  bool forked() const { return word_ != nullptr ? *word_ == 0 : os::process_id() != process_; }

 private:
  ForkMark() = default;
  uint32_t* word_ = nullptr;
  int64_t process_ = 0;
};

std::shared_ptr<MemoryPool> Engine::make_pool(const EngineOptions& options) {
  return std::make_shared<MemoryPool>(options.memory_limit, nullptr, options.map_files);
}

Result<std::shared_ptr<Engine>> Engine::create(const EngineOptions& options, Parts parts) {
  if (options.threads < 0 || options.threads > kMaxThreads) {
    return out_of_range("threads: ", options.threads, " is not from 0 (as many as the machine lends) to ", kMaxThreads);
  }
  if (options.device_memory_limit < 0) {
    return out_of_range("device_memory_limit: ", options.device_memory_limit, " bytes is negative");
  }
  if (options.memory_limit < 0) return out_of_range("memory_limit: ", options.memory_limit, " bytes is negative");
  std::shared_ptr<Engine> engine(new Engine);
  engine->options_ = options;
  engine->parts_ = std::move(parts);
  engine->log_.level = options.log_level;
  if (engine->parts_.registry == nullptr) engine->parts_.registry = std::make_shared<Registry>();
  if (engine->parts_.memory == nullptr) engine->parts_.memory = make_pool(options);
  PERCALE_ASSIGN_OR_RETURN(engine->fork_mark_, ForkMark::create());
  const int32_t threads = options.threads > 0 ? options.threads : default_threads();
  if (engine->parts_.host_pool != nullptr) {
    engine->threads_ = ThreadPool::create_on(engine->parts_.host_pool, threads);
  } else {
    PERCALE_ASSIGN_OR_RETURN(engine->threads_, ThreadPool::create(threads));
  }
  PERCALE_ASSIGN_OR_RETURN(engine->devices_,
                           open_devices({options, engine->parts_.device_apis, engine->parts_.transport,
                                         engine->fingerprint(), *engine->threads_},
                                        engine->parts_.absent));
  return engine;
}

Result<std::shared_ptr<Engine>> Engine::create_sibling(const std::string& devices) const {
  EngineOptions options = options_;
  options.devices = devices;
  options.threads = 1;
  Parts parts = parts_;
  parts.absent.clear();
  PERCALE_ASSIGN_OR_RETURN(auto out, create(options, std::move(parts)));
  out->log_ = log_;
  out->users_ = users_;
  return out;
}

Engine::~Engine() {
  if (fork_mark_ != nullptr && fork_mark_->forked()) {
    // The threads of the pool do not exist in the child, and handles of drivers belong to the
    // parent. Closing them could hang.
    for (auto& device : devices_) static_cast<void>(device.release());
    static_cast<void>(threads_.release());
  }
  devices_.clear();
  threads_.reset();
  parts_.host_pool.reset();
  parts_.registry.reset();
  parts_.memory.reset();
  while (!parts_.owners.empty()) parts_.owners.pop_back();
}

const Device* Engine::find_device(std::string_view name) const {
  for (const auto& device : devices_) {
    if (device->name() == name) return device.get();
  }
  return nullptr;
}

std::string Engine::fingerprint() const {
  std::string out = str_cat("percale-", PERCALE_VERSION_STRING);
  const auto add = [&](const std::string& fact) { out += fact.empty() ? fact : str_cat(" ", fact); };
  if (!options_.numerics.portable) add(str_cat("isa=", parts_.isa.empty() ? "none" : parts_.isa));
  add(options_.numerics.text());
  add(parts_.numerics);
  return out;
}

Status Engine::check_usable() const {
  if (!fork_mark_->forked()) return {};
  return failed_precondition(
      "forked: this process is a child of the one that made the engine; make an engine of its own");
}

}  // namespace percale

#include "core/engine/engine.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/base/version_number.h"
#include "core/engine/device_list.h"

namespace percale {
namespace {

constexpr int32_t kMaxThreads = 4096;

// Converts the table of an older or newer plug-in to the form that this library knows.
percale_device_api complete(const percale_device_api& api) {
  percale_device_api out{};
  std::memcpy(&out, &api, std::min<size_t>(api.struct_size, sizeof out));
  out.struct_size = sizeof out;
  return out;
}

// The name of a required slot that the table leaves empty; null if there is none.
const char* missing_slot(const percale_device_api& api) {
  if (api.kind == nullptr) return "kind";
  if (api.probe == nullptr) return "probe";
  if (api.open == nullptr) return "open";
  if (api.close == nullptr) return "close";
  if (api.describe == nullptr) return "describe";
  if (api.allocate == nullptr) return "allocate";
  if (api.free == nullptr) return "free";
  if (api.copy_from_host == nullptr) return "copy_from_host";
  if (api.copy_to_host == nullptr) return "copy_to_host";
  if (api.stream_create != nullptr && (api.stream_destroy == nullptr || api.stream_synchronize == nullptr)) {
    return "stream_destroy or stream_synchronize";
  }
  if (api.borrow_kernels != nullptr && (api.launch == nullptr || api.stream_create == nullptr)) {
    return "launch or stream_create";
  }
  if ((api.allocate_host == nullptr) != (api.free_host == nullptr)) return "allocate_host or free_host";
  if (api.compile != nullptr && (api.execute == nullptr || api.executable_destroy == nullptr)) {
    return "execute or executable_destroy";
  }
  return nullptr;
}

// A kind of device that the machine has.
struct PresentKind {
  std::string kind;
  percale_device_api api;
  int32_t count;
};

std::string inventory(const std::vector<PresentKind>& present, const std::vector<AbsentDevice>& absent) {
  std::string out = present.empty() ? "there is no kind of device" : "there are ";
  for (size_t i = 0; i < present.size(); ++i) {
    const PresentKind& p = present[i];
    out += str_cat(i > 0 ? ", " : "", p.kind, ":0");
    if (p.count > 1) out += str_cat(" to ", p.kind, ":", p.count - 1);
  }
  for (const AbsentDevice& a : absent) out += str_cat("; ", a.kind, " is absent: ", a.reason);
  return out;
}

Result<std::unique_ptr<Device>> open_device(const DeviceRequest& request, const percale_device_api& api,
                                            const EngineOptions& engine, ThreadPool& threads) {
  void* opened = nullptr;
  percale_device_options options{};
  options.struct_size = sizeof options;
  options.memory_limit = static_cast<uint64_t>(engine.device_memory_limit);
  options.deterministic = engine.deterministic ? 1 : 0;
  options.tf32 = engine.tf32 ? 1 : 0;
  const Status status = from_c(api.open(api.self, request.index, &options, &opened));
  PERCALE_RETURN_IF_ERROR(status.with_context(request.name));
  std::unique_ptr<void, void (*)(void*)> handle(opened, api.close);
  percale_device_description description{};
  description.struct_size = sizeof description;
  PERCALE_RETURN_IF_ERROR(from_c(api.describe(handle.get(), &description)).with_context(request.name));
  auto device = std::make_unique<Device>(request.name, api, request.index, handle.get(), description, request.width,
                                         threads.parallel());
  static_cast<void>(handle.release());  // the device closes it
  return device;
}

// Where variables live when none of the devices has the host's memory.
Status open_home(const std::vector<PresentKind>& present, const EngineOptions& options, ThreadPool& threads,
                 std::vector<std::unique_ptr<Device>>& devices) {
  for (const auto& device : devices) {
    if (device->shares_host_memory()) return {};
  }
  for (const PresentKind& p : present) {
    if (p.kind != "cpu") continue;
    PERCALE_ASSIGN_OR_RETURN(auto device, open_device({"cpu:0", "cpu", 0, 0}, p.api, options, threads));
    if (!device->shares_host_memory()) continue;
    device->make_home();
    devices.push_back(std::move(device));
    return {};
  }
  return {};
}

}  // namespace

Device::Device(std::string name, const percale_device_api& api, int32_t index, void* handle,
               const percale_device_description& description, int32_t width, ParallelFor threads)
    : name_(std::move(name)),
      kind_(api.kind),
      api_(complete(api)),
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

// Detects a fork by a page that the kernel clears in a forked child. If it cannot (before Linux
// 4.14, in some sandboxes), the process id is compared instead.
class Engine::ForkMark {
 public:
  static Result<std::unique_ptr<ForkMark>> create() {
    std::unique_ptr<ForkMark> mark(new ForkMark);
    mark->bytes_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* page = mmap(nullptr, mark->bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return resource_exhausted("the system has no page of memory for the engine");
    mark->page_ = static_cast<uint32_t*>(page);
    *mark->page_ = 1;
#if defined(MADV_WIPEONFORK)
    mark->wiped_ = madvise(page, mark->bytes_, MADV_WIPEONFORK) == 0;
#endif
    mark->process_ = getpid();
    return mark;
  }
  ~ForkMark() {
    if (page_ != nullptr) munmap(page_, bytes_);
  }
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;

  bool forked() const { return wiped_ ? *page_ == 0 : getpid() != process_; }

 private:
  ForkMark() = default;
  uint32_t* page_ = nullptr;
  size_t bytes_ = 0;
  bool wiped_ = false;
  pid_t process_ = 0;
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
  PERCALE_ASSIGN_OR_RETURN(engine->threads_,
                           ThreadPool::create(options.threads > 0 ? options.threads : default_threads()));
  PERCALE_RETURN_IF_ERROR(engine->open_devices());
  return engine;
}

Status Engine::open_devices() {
  std::vector<PresentKind> present;
  for (const percale_device_api* table : parts_.device_apis) {
    const percale_device_api api = complete(*table);
    if (const char* slot = missing_slot(api)) {
      parts_.absent.push_back({api.kind != nullptr ? api.kind : "?", str_cat("its table has no ", slot)});
      continue;
    }
    const char* reason = nullptr;
    const int32_t count = api.probe(api.self, &reason);
    if (count > 0) {
      present.push_back({api.kind, api, std::min(count, kMaxDevices)});
    } else {
      parts_.absent.push_back({api.kind, reason != nullptr ? reason : "the machine has none"});
    }
  }
  const auto find_kind = [&](std::string_view kind) {
    return std::find_if(present.begin(), present.end(), [&](const PresentKind& p) { return p.kind == kind; });
  };

  std::string wanted = options_.devices;
  if (wanted == "all") {
    for (const PresentKind& p : present) {
      for (int32_t i = 0; i < p.count && p.kind != "cpu"; ++i) {
        auto device = open_device({str_cat(p.kind, ":", i), p.kind, i, 0}, p.api, options_, *threads_);
        // A device that cannot be opened, or that computes nothing, is not a usable one.
        if (!device.ok()) {
          parts_.absent.push_back({str_cat(p.kind, ":", i), std::string(device.status().message())});
        } else if ((*device)->description().gflops > 0 && !(*device)->shares_host_memory()) {
          devices_.push_back(std::move(device).value());
        }
      }
    }
    if (!devices_.empty()) return open_home(present, options_, *threads_, devices_);
    wanted = "cpu:0";
  }

  PERCALE_ASSIGN_OR_RETURN(const auto requests, parse_devices(wanted));
  for (const DeviceRequest& request : requests) {
    const auto kind = find_kind(request.kind);
    if (kind == present.end() || request.index >= kind->count) {
      return not_found("devices: there is no ", request.name, "; ", inventory(present, parts_.absent));
    }
    PERCALE_ASSIGN_OR_RETURN(auto device, open_device(request, kind->api, options_, *threads_));
    devices_.push_back(std::move(device));
  }
  return devices_.empty() ? Status() : open_home(present, options_, *threads_, devices_);
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
  const std::string numerics = parts_.numerics.empty() ? std::string() : str_cat(" ", parts_.numerics);
  return str_cat("percale-", PERCALE_VERSION_STRING, " isa=", parts_.isa.empty() ? "none" : parts_.isa, numerics);
}

Status Engine::check_usable() const {
  if (!fork_mark_->forked()) return {};
  return failed_precondition(
      "forked: this process is a child of the one that made the engine; make an engine of its own");
}

}  // namespace percale

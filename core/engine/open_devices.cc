#include "core/engine/open_devices.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/c_status.h"
#include "core/engine/cluster/cluster.h"
#include "core/engine/device_list.h"

namespace percale {
namespace {

using Devices = std::vector<std::unique_ptr<Device>>;

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

class DeviceOpener {
 public:
  DeviceOpener(const DeviceSources& sources, std::vector<AbsentDevice>& absent) : sources_(sources), absent_(absent) {}

  Result<Devices> run() {
    find_kinds();
    if (sources_.options.devices == "all") {
      open_all();
      if (devices_.empty()) PERCALE_RETURN_IF_ERROR(open_requests("cpu:0"));
    } else {
      PERCALE_RETURN_IF_ERROR(open_requests(sources_.options.devices));
    }
    PERCALE_RETURN_IF_ERROR(open_home());
    return std::move(devices_);
  }

 private:
  void find_kinds() {
    for (const percale_device_api* table : sources_.apis) {
      const percale_device_api api = complete(*table);
      if (const char* slot = missing_slot(api)) {
        absent_.push_back({api.kind != nullptr ? api.kind : "?", str_cat("its table has no ", slot)});
        continue;
      }
      const char* reason = nullptr;
      const int32_t count = api.probe(api.self, &reason);
      if (count > 0) {
        present_.push_back({api.kind, api, std::min(count, kMaxDevices)});
      } else {
        absent_.push_back({api.kind, reason != nullptr ? reason : "the machine has none"});
      }
    }
  }

  std::string inventory() const {
    std::string out = present_.empty() ? "there is no kind of device" : "there are ";
    for (size_t i = 0; i < present_.size(); ++i) {
      const PresentKind& p = present_[i];
      out += str_cat(i > 0 ? ", " : "", p.kind, ":0");
      if (p.count > 1) out += str_cat(" to ", p.kind, ":", p.count - 1);
    }
    for (const AbsentDevice& a : absent_) out += str_cat("; ", a.kind, " is absent: ", a.reason);
    return out;
  }

  // Opens the devices that compute and have memory of their own.
  void open_all() {
    for (const PresentKind& p : present_) {
      for (int32_t i = 0; i < p.count && p.kind != "cpu"; ++i) {
        const Status fits = check_numerics(p.api);
        auto device = fits.ok() ? open_here({.name = str_cat(p.kind, ":", i), .kind = p.kind, .index = i}, p.api)
                                : Result<std::unique_ptr<Device>>(fits);
        // A device that cannot be opened, or that computes nothing, is not a usable one.
        if (!device.ok()) {
          absent_.push_back({str_cat(p.kind, ":", i), std::string(device.status().message())});
        } else if ((*device)->description().gflops > 0 && !(*device)->shares_host_memory()) {
          devices_.push_back(std::move(device).value());
        }
      }
    }
  }

  Status open_requests(const std::string& text) {
    PERCALE_ASSIGN_OR_RETURN(auto requests, parse_devices(text));
    for (DeviceRequest& request : requests) {
      PERCALE_RETURN_IF_ERROR(!request.address.empty() ? open_there(request)
                              : request.job.empty()    ? open_local(request)
                              : request.task < 0       ? open_job(request)
                                                       : open_task(request));
    }
    std::set<std::string_view> seen;
    for (const auto& device : devices_) {
      if (!seen.insert(device->name()).second) {
        return invalid_argument("devices '", text, "': ", device->name(), " stands twice");
      }
    }
    return {};
  }

  Result<const Cluster::Job*> find_job(const DeviceRequest& request) const {
    const Cluster* cluster = sources_.options.cluster.get();
    if (cluster == nullptr) {
      return invalid_argument("devices '", request.name,
                              "': there is no cluster; the option 'cluster' names the tasks");
    }
    const Cluster::Job* job = cluster->find_job(request.job);
    if (job == nullptr) return not_found("devices '", request.name, "': the cluster has no job '", request.job, "'");
    return job;
  }

  Status open_job(const DeviceRequest& request) {
    PERCALE_ASSIGN_OR_RETURN(const Cluster::Job* const job, find_job(request));
    for (const auto& [task, address] : job->tasks) {
      DeviceRequest one = request;
      one.task = task;
      one.name += str_cat("/task:", task);
      PERCALE_RETURN_IF_ERROR(open_task(one));
    }
    return {};
  }

  // The task of this process itself has local devices.
  Status open_task(DeviceRequest request) {
    PERCALE_ASSIGN_OR_RETURN(const Cluster::Job* const job, find_job(request));
    const Cluster& cluster = *sources_.options.cluster;
    if (cluster.own_job() == request.job && cluster.own_task() == request.task) {
      if (request.kind.empty()) request.name += "/device:cpu:0", request.kind = "cpu";
      return open_local(request);
    }
    const auto task = job->tasks.find(request.task);
    if (task == job->tasks.end() || task->second.empty()) {
      return not_found("devices '", request.name, "': the cluster has no address for this task");
    }
    request.address = task->second;
    return open_there(request);
  }

  Status open_local(const DeviceRequest& request) {
    const auto kind =
        std::find_if(present_.begin(), present_.end(), [&](const PresentKind& p) { return p.kind == request.kind; });
    if (kind == present_.end() || request.index >= kind->count) {
      return not_found("devices: there is no ", request.name, "; ", inventory());
    }
    PERCALE_RETURN_IF_ERROR(check_numerics(kind->api).with_context(request.name));
    PERCALE_ASSIGN_OR_RETURN(auto device, open_here(request, kind->api));
    devices_.push_back(std::move(device));
    return {};
  }

  // A device that does not run the CPU's kernels has an order of sums of its own.
  Status check_numerics(const percale_device_api& api) const {
    const Numerics numerics = sources_.options.numerics;
    const bool runs_cpu_kernels = std::string_view(api.kind) == "cpu" || api.borrow_kernels != nullptr;
    if (!numerics.own_kernels_only() || runs_cpu_kernels) return {};
    return failed_precondition("this kind of device computes other bits than ", numerics.text(),
                               " promises; use CPU devices, or leave the option out");
  }

  Status open_there(const DeviceRequest& request) {
    const percale_transport* transport = sources_.transport;
    if (transport == nullptr || transport->open_device == nullptr) {
      return unimplemented("devices '", request.name, "': no plug-in reaches other processes; libpercale_remote.so ",
                           "does, which is built if gRPC is there (`sh subprojects/setup --remote`)");
    }
    const std::string& certificates = sources_.options.certificates;
    percale_peer peer{};
    peer.struct_size = sizeof peer;
    peer.address = request.address.c_str();
    peer.build = sources_.build.c_str();
    peer.certificates = certificates.empty() ? nullptr : certificates.c_str();
    peer.timeout_ns = sources_.options.connect_timeout * 1'000'000'000;
    if (!request.kind.empty()) {
      return open_remote(peer, request.name, str_cat(request.kind, ":", request.index));
    }
    std::vector<std::string> names;
    const auto found = [](void* to, const char* name) {
      if (name != kAllDevicesName) static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    };
    PERCALE_RETURN_IF_ERROR(
        from_c(transport->list_devices(transport->user, &peer, found, &names)).with_context(request.name));
    if (names.empty()) return not_found("devices '", request.name, "': this process serves none");
    for (const std::string& name : names) {
      const std::string_view separator = request.job.empty() ? "/" : "/device:";
      PERCALE_RETURN_IF_ERROR(open_remote(peer, str_cat(request.name, separator, name), name));
    }
    return {};
  }

  percale_device_options device_options() const {
    const EngineOptions& engine = sources_.options;
    percale_device_options out{};
    out.struct_size = sizeof out;
    out.memory_limit = static_cast<uint64_t>(engine.device_memory_limit);
    out.deterministic = engine.deterministic ? 1 : 0;
    out.tf32 = engine.tf32 ? 1 : 0;
    return out;
  }

  Result<std::unique_ptr<Device>> open_here(const DeviceRequest& request, const percale_device_api& api) const {
    void* opened = nullptr;
    const percale_device_options options = device_options();
    PERCALE_RETURN_IF_ERROR(from_c(api.open(api.self, request.index, &options, &opened)).with_context(request.name));
    return make_device(request, api, opened);
  }

  Status open_remote(const percale_peer& peer, const std::string& name, const std::string& there) {
    void* opened = nullptr;
    const percale_device_api* api = nullptr;
    const percale_device_options options = device_options();
    const percale_transport& transport = *sources_.transport;
    PERCALE_RETURN_IF_ERROR(from_c(transport.open_device(transport.user, &peer, there.c_str(), &options, &api, &opened))
                                .with_context(name));
    const percale_device_api whole = complete(*api);
    if (const char* slot = missing_slot(whole)) return internal_error(name, ": its table has no ", slot);
    PERCALE_ASSIGN_OR_RETURN(auto device, make_device({.name = name}, whole, opened));
    devices_.push_back(std::move(device));
    return {};
  }

  Result<std::unique_ptr<Device>> make_device(const DeviceRequest& request, const percale_device_api& api,
                                              void* opened) const {
    std::unique_ptr<void, void (*)(void*)> handle(opened, api.close);
    percale_device_description description{};
    description.struct_size = sizeof description;
    PERCALE_RETURN_IF_ERROR(from_c(api.describe(handle.get(), &description)).with_context(request.name));
    auto device = std::make_unique<Device>(request.name, api, request.index, handle.get(), description, request.width,
                                           sources_.threads.parallel());
    static_cast<void>(handle.release());  // the device closes it
    return device;
  }

  // Opens the place of variables if none of the devices has the host's memory.
  Status open_home() {
    const bool has_home =
        std::any_of(devices_.begin(), devices_.end(), [](const auto& device) { return device->shares_host_memory(); });
    if (devices_.empty() || has_home) return {};
    for (const PresentKind& p : present_) {
      if (p.kind != "cpu") continue;
      PERCALE_ASSIGN_OR_RETURN(auto device, open_here({.name = "cpu:0", .kind = "cpu"}, p.api));
      if (!device->shares_host_memory()) continue;
      device->make_home();
      devices_.push_back(std::move(device));
      return {};
    }
    return {};
  }

  const DeviceSources& sources_;
  std::vector<AbsentDevice>& absent_;
  std::vector<PresentKind> present_;
  Devices devices_;
};

}  // namespace

Result<Devices> open_devices(const DeviceSources& sources, std::vector<AbsentDevice>& absent) {
  return DeviceOpener(sources, absent).run();
}

}  // namespace percale

/// The plug-in: the tables that it hands to the library, and its entry point.
#ifndef PERCALE_CPP_PLUGIN_ENTRY_HPP_
#define PERCALE_CPP_PLUGIN_ENTRY_HPP_

#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernel.hpp"
#include "op.hpp"

namespace percale::plugin {

/// The tables that one copy of the library gets. Derive a class from it, add ops, kernels, devices,
/// formats and transports in the constructor, and export it with PERCALE_PLUGIN. Never destroyed,
/// since a plug-in is never unloaded.
class Plugin {
 public:
  /// `domain` is that of the plug-in's ops.
  Plugin(const percale_host_api& host, std::string name, std::string version, std::string domain = "")
      : host_(host), name_(std::move(name)), version_(std::move(version)), domain_(std::move(domain)) {
    api_.struct_size = sizeof api_;
    api_.name = name_.c_str();
    api_.version = version_.c_str();
    api_.domain = domain_.c_str();
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  /// The library's functions.
  const percale_host_api& host() const { return host_; }
  /// The table for the library.
  const percale_plugin_api* api() const { return &api_; }

 protected:
  ~Plugin() = default;

  /// Adds an op. The class O has
  ///   static constexpr const char* kName;  static constexpr const char* kDoc;
  ///   static constexpr percale_op_value kInputs[], kOutputs[];  made by input(), output()
  ///   static constexpr percale_op_attribute kAttributes[];               optional
  ///   static constexpr int32_t kSince;                                   optional, 1 without it
  ///   static void shape(Shape& shape);                                   throws Failure
  ///   static void gradient(Gradient& gradient);                          optional
  template <class O>
  void add_op() {
    add(op_of<O>(host_));
  }
  /// Adds a kernel. The class K has
  ///   static constexpr KernelName kKernel;
  ///   K(const Node& node, KernelPlan& plan);       throws a Refusal if it does not take the node
  ///   void run(const Launch& launch) const;        thread-safe; a Failure fails the run
  /// The library also constructs a K only to ask whether it takes a node: plan.is_real() is then
  /// false, and run() is not called.
  template <class K>
  void add_kernel() {
    auto context = std::make_shared<const detail::KernelClass<K>>(host_);
    add(kernel_of(K::kKernel, *context));
    contexts_.push_back(std::move(context));
  }

  /// Adds an op by its table entry, which is copied.
  void add(const percale_op& op) {
    keep(op, ops_, op_list_);
    api_.ops = op_list_.data();
    api_.op_count = op_list_.size();
  }
  /// Adds a kernel by its table entry, which is copied.
  void add(const percale_kernel& kernel) {
    keep(kernel, kernels_, kernel_list_);
    api_.kernels = kernel_list_.data();
    api_.kernel_count = kernel_list_.size();
  }
  /// Adds a kind of device by its table, which is copied.
  void add(const percale_device_api& device) {
    keep(device, devices_, device_list_);
    api_.devices = device_list_.data();
    api_.device_count = device_list_.size();
  }
  /// Adds a file format by its table entry, which is copied.
  void add(const percale_format& format) {
    keep(format, formats_, format_list_);
    api_.formats = format_list_.data();
    api_.format_count = format_list_.size();
  }
  /// Adds a transport by its table entry, which is copied.
  void add(const percale_transport& transport) {
    keep(transport, transports_, transport_list_);
    api_.transports = transport_list_.data();
    api_.transport_count = transport_list_.size();
  }

 private:
  template <class Table>
  static void keep(const Table& table, std::deque<Table>& tables, std::vector<const Table*>& list) {
    list.push_back(&tables.emplace_back(table));
  }

  const percale_host_api& host_;
  const std::string name_, version_, domain_;
  percale_plugin_api api_{};
  std::deque<percale_op> ops_;
  std::deque<percale_kernel> kernels_;
  std::deque<percale_device_api> devices_;
  std::deque<percale_format> formats_;
  std::vector<const percale_op*> op_list_;
  std::vector<const percale_kernel*> kernel_list_;
  std::vector<const percale_device_api*> device_list_;
  std::vector<const percale_format*> format_list_;
  std::deque<percale_transport> transports_;
  std::vector<const percale_transport*> transport_list_;
  std::vector<std::shared_ptr<const void>> contexts_;
};

/// The body of percale_plugin_init() for a class P that is derived from Plugin and has
///   static constexpr const char* kName;
///   explicit P(const percale_host_api& host);
/// Two copies of the library may live in one process: each gets an object of its own, which is
/// found again by its table.
template <class P>
percale_status* init(const percale_host_api* host, uint32_t host_abi, const percale_plugin_api** out_plugin) noexcept {
  *out_plugin = nullptr;
  return guarded(*host, [&] {
    if (host_abi < PERCALE_PLUGIN_ABI || host->struct_size < sizeof *host) {
      throw Failure(PERCALE_UNIMPLEMENTED, std::string("the library is older than the plug-in '") + P::kName + "'");
    }
    struct Known {
      std::mutex mutex;
      std::list<P> plugins;
    };
    // Never destroyed: the library may use a plug-in until the end of the process.
    static Known& known = *new Known;
    const std::lock_guard lock(known.mutex);
    for (const P& plugin : known.plugins) {
      if (&plugin.host() == host) {
        *out_plugin = plugin.api();
        return;
      }
    }
    *out_plugin = known.plugins.emplace_back(*host).api();
  });
}

}  // namespace percale::plugin

/// Exports the plug-in of class P: once, in the global namespace.
#define PERCALE_PLUGIN(P)                                                                             \
  extern "C" __attribute__((visibility("default"))) percale_status* percale_plugin_init(              \
      const percale_host_api* host, uint32_t host_abi, const char*, const percale_plugin_api** out) { \
    return percale::plugin::init<P>(host, host_abi, out);                                             \
  }

#endif  // PERCALE_CPP_PLUGIN_ENTRY_HPP_

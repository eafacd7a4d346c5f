#include "devices/remote/worker/service.h"

#include <percale.h>
#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace percale::worker {
namespace {

template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T* handle) const {
    Release(handle);
  }
};
using Options = std::unique_ptr<percale_options, Releaser<&percale_options_release>>;
using Engine = std::unique_ptr<percale_engine, Releaser<&percale_engine_release>>;
using Cluster = std::unique_ptr<percale_cluster, Releaser<&percale_cluster_release>>;
using Server = std::unique_ptr<percale_server, Releaser<&percale_server_release>>;

std::string take_message(percale_status* status) {
  size_t size = 0;
  const char* text = percale_status_message(status, &size);
  std::string out(text, size);
  percale_status_release(status);
  return out;
}

void check(percale_status* status) {
  if (status != nullptr) throw std::runtime_error(take_message(status));
}

void check_setting(percale_status* status) {
  if (status != nullptr) throw UsageError{take_message(status)};
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf())) throw std::runtime_error(path + ": the file cannot be read");
  return text.str();
}

// The text for the engine's option "cluster"; "": none.
std::string cluster_option(const std::string& source) {
  if (source.empty() || source == "env") return source.empty() ? "" : "environment";
  return read_file(source);
}

Engine make_engine(const Arguments& arguments) {
  percale_options* made = nullptr;
  check(percale_options_create("engine", &made));
  const Options options(made);
  check(percale_options_set(made, "certificates", arguments.certificates.c_str()));
  check(percale_options_set(made, "cluster", cluster_option(arguments.cluster).c_str()));
  check(percale_options_set(made, "task", arguments.task.c_str()));
  for (const auto& [key, value] : arguments.engine) {
    check_setting(percale_options_set(made, key.c_str(), value.c_str()));
  }
  percale_engine* engine = nullptr;
  check(percale_engine_create(made, &engine));
  return Engine(engine);
}

Cluster open_cluster(const std::string& source) {
  percale_cluster* made = nullptr;
  if (source == "env") {
    check(percale_cluster_from_environment(&made));
  } else {
    const std::string json = read_file(source);
    check(percale_cluster_from_json(json.data(), json.size(), &made));
  }
  return Cluster(made);
}

// Where the task that this process is listens. Its address may be that of a proxy, so that with
// certificates it listens at all addresses of the machine.
std::string address_of_task(const Arguments& arguments) {
  const Cluster cluster = open_cluster(arguments.cluster);
  if (!arguments.task.empty()) {
    const size_t colon = arguments.task.rfind(':');
    char* end = nullptr;
    const long number = colon == std::string::npos ? -1 : std::strtol(arguments.task.c_str() + colon + 1, &end, 10);
    if (number < 0 || *end != '\0') throw UsageError{"--task " + arguments.task + ": wanted JOB:N, such as worker:1"};
    check_setting(percale_cluster_set_role(cluster.get(), arguments.task.substr(0, colon).c_str(), number));
  }
  int64_t task = 0;
  const std::string job = percale_cluster_get_role(cluster.get(), &task);
  const char* address = percale_cluster_get_address(cluster.get(), job.c_str(), task);
  if (address == nullptr || *address == '\0') {
    throw UsageError{"the cluster has no address for task " + std::to_string(task) + " of job '" + job +
                     "'; --task names the task of this process, --listen an address"};
  }
  const std::string own = address;
  if (arguments.certificates.empty() || own.starts_with("unix:")) return own;
  return "0.0.0.0" + own.substr(own.rfind(':'));
}

void announce(const percale_engine* engine, const std::string& address, int32_t port) {
  std::string devices;
  for (size_t i = 0; i < percale_engine_device_count(engine); ++i) {
    devices += std::string(i > 0 ? "," : "") + percale_engine_get_device_name(engine, i);
  }
  const size_t colon = address.rfind(':');
  const std::string shown = port == 0 ? address : address.substr(0, colon) + ":" + std::to_string(port);
  std::printf("serving %s at %s\n", devices.c_str(), shown.c_str());
  std::fflush(stdout);
}

// True if a signal has come within 200 ms.
bool wait_for_signal(const sigset_t& signals) {
  const timespec pause{0, 200'000'000};
  return sigtimedwait(&signals, nullptr, &pause) > 0;
}

}  // namespace

int serve(const Arguments& arguments) {
  // Blocked before the engine starts threads, which inherit it: only this thread takes the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const std::string address = arguments.address.empty() ? address_of_task(arguments) : arguments.address;
  const Engine engine = make_engine(arguments);
  percale_server* made = nullptr;
  check(percale_server_create(engine.get(), address.c_str(), arguments.certificates.c_str(), &made));
  const Server server(made);
  announce(engine.get(), address, percale_server_port(made));
  while (!wait_for_signal(signals)) {
    if (!arguments.once) continue;
    percale_status* const status = percale_server_wait(made, 0);
    if (percale_status_code(status) != PERCALE_DEADLINE_EXCEEDED) {
      check(status);
      return 0;
    }
    percale_status_release(status);
  }
  return 0;
}

}  // namespace percale::worker

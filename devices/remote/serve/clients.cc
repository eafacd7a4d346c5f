#include "devices/remote/serve/clients.h"

#include <algorithm>
#include <random>

namespace percale::remote {
namespace {

// A number that cannot be guessed.
uint64_t draw_secret() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

// The smaller one of two limits, of which 0 is none.
uint64_t smaller_limit(uint64_t a, uint64_t b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

void check_options(const ServedDevice& device, const wire::Open& open) {
  if (!device.options()) return;
  const auto refuse = [&](const char* wanted, const char* found) {
    throw plugin::Failure(PERCALE_FAILED_PRECONDITION, "it asks for the device " + device.name() + " with " + wanted +
                                                           ", which is served with " + found +
                                                           "; start both processes with the same options");
  };
  if (open.deterministic() && device.options()->deterministic == 0) refuse("deterministic = 1", "deterministic = 0");
  if (!open.tf32() && device.options()->tf32 != 0) refuse("tf32 = 0", "tf32 = 1");
}

}  // namespace

std::vector<std::string> Clients::device_names() const {
  std::vector<std::string> out;
  for (const ServedDevice& device : devices_) out.push_back(device.name());
  return out;
}

void Clients::check(const wire::Open& open) const {
  if (open.protocol() != kProtocol) {
    throw plugin::Failure(PERCALE_FAILED_PRECONDITION, "it speaks protocol " + std::to_string(open.protocol()) +
                                                           ", this process " + std::to_string(kProtocol) +
                                                           "; both need the same version of Percale");
  }
  if (const std::string build = text_of(open.build()); build != build_) {
    throw plugin::Failure(PERCALE_FAILED_PRECONDITION,
                          "it has " + quoted(cut(build)) + ", this process " + quoted(build_) +
                              "; both need the same version, plug-ins and instruction set (option \"isa\")");
  }
}

const ServedDevice& Clients::device(const wire::Open& open) const {
  const std::string name = text_of(open.device());
  std::string names;
  for (const ServedDevice& device : devices_) {
    if (device.name() == name) return device;
    names += (names.empty() ? "" : ", ") + device.name();
  }
  throw plugin::Failure(PERCALE_NOT_FOUND, "it asks for the device " + quoted(cut(name)) +
                                               ", which is not served here; served are: " + names);
}

Clients::Admitted Clients::admit(const wire::Open& open) {
  const ServedDevice& wanted = device(open);
  check_options(wanted, open);
  const uint64_t limit = smaller_limit(open.memory_limit(), wanted.options() ? wanted.options()->memory_limit : 0);
  auto client = std::make_shared<Client>(wanted, limits_, smaller_limit(limit, wanted.describe().memory_bytes));
  const std::lock_guard lock(mutex_);
  if (clients_.size() >= limits_.clients) {
    throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, "it is one client too many: " + std::to_string(clients_.size()) +
                                                          " have opened a device; close one, or serve the devices by "
                                                          "more processes");
  }
  uint64_t secret = draw_secret();
  while (clients_.contains(secret)) secret = draw_secret();
  clients_.emplace(secret, client);
  has_had_one_ = true;
  return {secret, std::move(client)};
}

std::shared_ptr<Client> Clients::find(uint64_t secret) const {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(secret);
  if (found != clients_.end()) return found->second;
  throw plugin::Failure(PERCALE_UNAUTHENTICATED,
                        "no client of this process has that secret; the device was closed, or the process started "
                        "anew: open the device again");
}

void Clients::remove(uint64_t secret, bool has_left) {
  std::shared_ptr<Client> last;  // destroyed without the mutex
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(secret);
  if (found == clients_.end()) return;
  last = std::move(found->second);
  clients_.erase(found);
  has_lost_last_ = !has_left;
  changed_.notify_all();
}

void Clients::reserve_upload(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > limits_.all_graph_bytes - uploads_) {
    throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, "the graphs that clients are sending have " +
                                                          std::to_string(uploads_) + " bytes already, the limit is " +
                                                          std::to_string(limits_.all_graph_bytes) +
                                                          "; try again when they are compiled");
  }
  uploads_ += bytes;
}

void Clients::release_upload(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  uploads_ -= bytes;
}

void Clients::wait(Clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_until(lock, deadline, [this] { return has_had_one_ && clients_.empty(); })) {
    throw plugin::Failure(
        PERCALE_DEADLINE_EXCEEDED,
        has_had_one_ ? std::to_string(clients_.size()) + " clients have a device open" : "no client has come");
  }
  if (has_lost_last_) {
    throw plugin::Failure(PERCALE_UNAVAILABLE,
                          "the last client has not closed its devices: its process or the connection was lost");
  }
}

}  // namespace percale::remote

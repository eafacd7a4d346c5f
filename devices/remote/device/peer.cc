#include "devices/remote/device/peer.h"

#include <utility>

#include "devices/remote/net/backoff.h"

namespace percale::remote {
namespace {

// Limits of a list of devices.
constexpr size_t kMaxNames = 4096, kMaxNameBytes = 256;

OpenedDevice open_session(const percale_peer& peer, wire::OpenT request, const std::string& what, Checksum checksum) {
  const std::string address = peer.address;
  const Clock::time_point deadline = deadline_after(peer.timeout_ns);
  const Credentials credentials = read_credentials(peer.certificates == nullptr ? "" : peer.certificates);
  check_may_reach(credentials, address);
  request.protocol = kProtocol;
  request.build = peer.build;
  OpenedDevice out;
  out.open_stream = [connection = std::make_shared<Connection>(address, credentials), checksum](
                        const std::string& purpose, std::shared_ptr<StreamEvents> events) {
    const auto open = [&](std::shared_ptr<StreamEvents> own) { return connection->open(purpose, std::move(own)); };
    return purpose == kQueuePurpose ? open_shared(open, std::move(events), sharing_of(checksum))
                                    : open(std::move(events));
  };
  for (Backoff backoff;;) {
    out.session = std::make_shared<Session>(what + " at " + address, checksum);
    if (out.session->open(out.open_stream, request, deadline)) return out;
    if (backoff.wait(deadline)) continue;
    throw plugin::Failure(PERCALE_UNAVAILABLE, out.session->name() + " is not reached: " + out.session->reason());
  }
}

}  // namespace

std::vector<std::string> list_devices(const percale_peer& peer, Checksum checksum) {
  const OpenedDevice opened = open_session(peer, {}, "the list of devices", checksum);
  const auto* const devices = opened.session->welcome().as<wire::Devices>();
  const auto* const names = devices == nullptr ? nullptr : devices->names();
  std::vector<std::string> out;
  for (size_t i = 0; names != nullptr && i < names->size() && i < kMaxNames; ++i) {
    const auto* const name = names->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (name->size() <= kMaxNameBytes) out.push_back(name->str());
  }
  if (names != nullptr && out.size() == names->size()) return out;
  throw plugin::Failure(PERCALE_INTERNAL, opened.session->name() + " is the message " +
                                              opened.session->welcome().name() +
                                              ", wanted up to 4096 names of at most 256 bytes");
}

std::unique_ptr<RemoteDevice> open_device(RemoteDevices& devices, const percale_peer& peer, const std::string& name,
                                          const percale_device_options& options) {
  if (name.empty()) throw plugin::Failure(PERCALE_INVALID_ARGUMENT, "the name of a remote device is empty");
  wire::OpenT request;
  request.device = name;
  request.memory_limit = options.memory_limit;
  request.deterministic = options.deterministic != 0;
  request.tf32 = options.tf32 != 0;
  OpenedDevice opened = open_session(peer, std::move(request), "the device " + name, devices.checksum());
  return std::make_unique<RemoteDevice>(devices, std::move(opened));
}

}  // namespace percale::remote

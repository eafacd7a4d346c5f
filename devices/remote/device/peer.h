// Processes that serve devices, as this process calls them.
#ifndef PERCALE_DEVICES_REMOTE_DEVICE_PEER_H_
#define PERCALE_DEVICES_REMOTE_DEVICE_PEER_H_

#include <memory>
#include <string>
#include <vector>

#include "devices/remote/device/remote_device.h"

namespace percale::remote {

// Both wait until the process answers, up to the time limit of the peer. They throw Failure.
std::vector<std::string> list_devices(const percale_peer& peer, Checksum checksum);
std::unique_ptr<RemoteDevice> open_device(RemoteDevices& devices, const percale_peer& peer, const std::string& name,
                                          const percale_device_options& options);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_DEVICE_PEER_H_

// One of two processes between which bulk.py measures how fast large blocks go:
//   bulk_peer send|receive ADDRESS CERTIFICATES BYTES COUNT        over a socket
//   bulk_peer rank 0|1 ADDRESS0 ADDRESS1 CERTIFICATES BYTES COUNT  in exchanges of a group
//   bulk_peer serve ADDRESS CERTIFICATES                           serves a device until EOF
//   bulk_peer device ADDRESS CERTIFICATES BYTES COUNT              writes to the device and reads
// CERTIFICATES may be "". COUNT blocks of so many bytes are sent, after two that do not count. Over
// a socket they go in pieces of at most 1 MiB. Prints lines "name bytes-per-second".
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/file/crc32c.h"
#include "devices/remote/group/group.h"
#include "devices/remote/serve/server.h"
#include "devices/remote/transport.h"
#include "tests/bench/bulk/socket.h"
#include "tests/unit/remote/memory_device.h"

namespace percale::remote {
namespace {

using bench::fail;
using bench::Socket;
using Bytes = std::vector<std::byte>;

constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr int kWarmUp = 2;
constexpr int64_t kTimeoutNs = int64_t{30} * 1'000'000'000;

// The size of a measurement.
struct Load {
  size_t bytes;  // of a block
  int count;     // of the blocks that count
};

// Each block of a sender is the same.
Bytes block(size_t bytes) {
  Bytes out(bytes);
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i * 13 + (i >> 9));
  return out;
}

void check_block(const Bytes& found) {
  if (found != block(found.size())) fail("other bytes have arrived");
}

// Prints the rate of `each()`, which moves so many bytes.
template <class F>
void measure(const char* name, int count, size_t bytes, F&& each) {
  for (int i = 0; i < kWarmUp; ++i) each();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) each();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%s %.0f\n", name, static_cast<double>(bytes) * count / seconds.count());
  std::fflush(stdout);
}

int send(const std::string& address, const std::string& certificates, const Load& load) {
  Socket socket = Socket::connect(address, certificates);
  const Bytes from = block(load.bytes);
  for (int i = 0; i < kWarmUp + load.count; ++i) {
    for (size_t at = 0; at < from.size(); at += kPieceBytes) {
      socket.send(from.data() + at, std::min(kPieceBytes, from.size() - at));
    }
  }
  char end = 0;
  socket.receive(&end, 1);
  return 0;
}

// Looks at each piece, as a checksum would.
int receive(const std::string& address, const std::string& certificates, const Load& load) {
  Socket socket = Socket::listen(address, certificates);
  Bytes to(load.bytes);
  unsigned sum = 0;
  measure("socket", load.count, load.bytes, [&] {
    for (size_t at = 0; at < to.size(); at += kPieceBytes) {
      const size_t part = std::min(kPieceBytes, to.size() - at);
      socket.receive(to.data() + at, part);
      for (size_t i = 0; i < part; i += 64) sum += static_cast<unsigned>(to[at + i]);
    }
  });
  check_block(to);
  socket.send(&sum, 1);
  return 0;
}

int rank(int own, const char* first, const char* second, const char* certificates, const Load& load) {
  const char* const addresses[] = {first, second};
  percale_group_place place{};
  place.struct_size = sizeof place;
  place.rank = own;
  place.size = 2;
  place.addresses = addresses;
  place.build = "bulk";
  place.certificates = *certificates == '\0' ? nullptr : certificates;
  place.timeout_ns = kTimeoutNs;
  Group group(place, &crc32c);
  const Bytes from = block(load.bytes);
  Bytes to(load.bytes);
  uint64_t tag = 0;
  // Rank `to_rank` receives a block; -1: both do.
  const auto exchange = [&](int to_rank) {
    std::vector<percale_bytes> sends(2), recvs(2);
    if (to_rank != own) sends[static_cast<size_t>(1 - own)] = {const_cast<std::byte*>(from.data()), load.bytes};
    if (to_rank != 1 - own) recvs[static_cast<size_t>(1 - own)] = {to.data(), load.bytes};
    group.exchange(++tag, sends, recvs, -1);
  };
  measure("one-way", load.count, load.bytes, [&] { exchange(0); });
  measure("both-ways", load.count, 2 * load.bytes, [&] { exchange(-1); });
  check_block(to);
  return 0;
}

percale_peer peer_of(const char* address, const char* certificates) {
  return {sizeof(percale_peer), address, "bulk", *certificates == '\0' ? nullptr : certificates, kTimeoutNs};
}

int serve(const char* address, const char* certificates) {
  MemoryDevice device;
  const percale_served_device served = device.served();
  const Server server(fake_host(), peer_of(address, certificates), &served, 1);
  while (std::getchar() != EOF) {
  }
  return 0;
}

void check(const Result& result) {
  if (!result.is_ok()) fail(result.message);
}

int use_device(const char* address, const char* certificates, const Load& load) {
  const percale_transport* transport = nullptr;
  check(percale_remote_transport(&fake_host(), &transport));
  const percale_peer peer = peer_of(address, certificates);
  const percale_device_options options{sizeof options, 0, 1, 0};
  const percale_device_api* api = nullptr;
  void *device = nullptr, *memory = nullptr, *stream = nullptr;
  check(transport->open_device(transport->user, &peer, "cpu:0", &options, &api, &device));
  check(api->allocate(device, load.bytes, &memory));
  check(api->stream_create(device, &stream));
  const Bytes from = block(load.bytes);
  Bytes to(load.bytes);
  measure("write", load.count, load.bytes, [&] {
    check(api->copy_from_host(device, stream, memory, from.data(), load.bytes));
    check(api->stream_synchronize(stream));
  });
  measure("read", load.count, load.bytes, [&] {
    check(api->copy_to_host(device, stream, to.data(), memory, load.bytes));
    check(api->stream_synchronize(stream));
  });
  check_block(to);
  api->stream_destroy(stream);
  api->free(device, memory);
  api->close(device);
  return 0;
}

int run(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  const auto load = [&] { return Load{std::strtoull(words[count - 2], nullptr, 10), std::atoi(words[count - 1])}; };
  if (verb == "send" && count == 6) return send(words[2], words[3], load());
  if (verb == "receive" && count == 6) return receive(words[2], words[3], load());
  if (verb == "rank" && count == 8) return rank(std::atoi(words[2]), words[3], words[4], words[5], load());
  if (verb == "serve" && count == 4) return serve(words[2], words[3]);
  if (verb == "device" && count == 6) return use_device(words[2], words[3], load());
  std::fprintf(stderr, "bulk_peer: see the head of tests/bench/bulk/main.cc\n");
  return 2;
}

}  // namespace
}  // namespace percale::remote

int main(int count, char** words) {
  try {
    return percale::remote::run(count, words);
  } catch (const std::exception& error) {
    percale::bench::fail(error.what());
  }
}

// One of two processes between which bulk.py measures how fast large blocks go:
//   bulk_peer send|receive ADDRESS CERTIFICATES COUNT        over a socket, in pieces of 1 MiB
//   bulk_peer rank 0|1 ADDRESS0 ADDRESS1 CERTIFICATES COUNT  in exchanges of a group
//   bulk_peer serve ADDRESS CERTIFICATES                     serves a device until its input ends
//   bulk_peer device ADDRESS CERTIFICATES COUNT              writes to that device, reads from it
// CERTIFICATES may be "". A block has 64 MiB; COUNT blocks are sent after a first one that does not
// count. Prints lines "name bytes-per-second".
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

constexpr size_t kPieceBytes = size_t{1} << 20, kBlockBytes = 64 * kPieceBytes;
constexpr int64_t kTimeoutNs = int64_t{30} * 1'000'000'000;

// Each block of a sender is the same.
Bytes block() {
  Bytes out(kBlockBytes);
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i * 13 + (i >> 9));
  return out;
}

void check_block(const Bytes& found) {
  static const Bytes wanted = block();
  if (found != wanted) fail("other bytes have arrived");
}

// Prints the rate of `each()`, which moves so many bytes.
template <class F>
void measure(const char* name, int count, size_t bytes, F&& each) {
  each();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) each();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%s %.0f\n", name, static_cast<double>(bytes) * count / seconds.count());
  std::fflush(stdout);
}

int send(const std::string& address, const std::string& certificates, int count) {
  Socket socket = Socket::connect(address, certificates);
  const Bytes from = block();
  for (int i = 0; i <= count; ++i) {
    for (size_t at = 0; at < kBlockBytes; at += kPieceBytes) socket.send(from.data() + at, kPieceBytes);
  }
  char end = 0;
  socket.receive(&end, 1);
  return 0;
}

// Looks at each piece, as a checksum would.
int receive(const std::string& address, const std::string& certificates, int count) {
  Socket socket = Socket::listen(address, certificates);
  Bytes to(kBlockBytes);
  unsigned sum = 0;
  measure("socket", count, kBlockBytes, [&] {
    for (size_t at = 0; at < kBlockBytes; at += kPieceBytes) {
      socket.receive(to.data() + at, kPieceBytes);
      for (size_t i = 0; i < kPieceBytes; i += 64) sum += static_cast<unsigned>(to[at + i]);
    }
  });
  check_block(to);
  socket.send(&sum, 1);
  return 0;
}

int rank(int own, const char* first, const char* second, const char* certificates, int count) {
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
  const Bytes from = block();
  Bytes to(kBlockBytes);
  uint64_t tag = 0;
  // Rank `to_rank` receives a block; -1: both do.
  const auto exchange = [&](int to_rank) {
    std::vector<percale_bytes> sends(2), recvs(2);
    if (to_rank != own) sends[static_cast<size_t>(1 - own)] = {const_cast<std::byte*>(from.data()), kBlockBytes};
    if (to_rank != 1 - own) recvs[static_cast<size_t>(1 - own)] = {to.data(), kBlockBytes};
    group.exchange(++tag, sends, recvs, -1);
  };
  measure("one-way", count, kBlockBytes, [&] { exchange(0); });
  measure("both-ways", count, 2 * kBlockBytes, [&] { exchange(-1); });
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

int use_device(const char* address, const char* certificates, int count) {
  const percale_transport* transport = nullptr;
  check(percale_remote_transport(&fake_host(), &transport));
  const percale_peer peer = peer_of(address, certificates);
  const percale_device_options options{sizeof options, 0, 1, 0};
  const percale_device_api* api = nullptr;
  void *device = nullptr, *memory = nullptr, *stream = nullptr;
  check(transport->open_device(transport->user, &peer, "cpu:0", &options, &api, &device));
  check(api->allocate(device, kBlockBytes, &memory));
  check(api->stream_create(device, &stream));
  const Bytes from = block();
  Bytes to(kBlockBytes);
  measure("write", count, kBlockBytes, [&] {
    check(api->copy_from_host(device, stream, memory, from.data(), kBlockBytes));
    check(api->stream_synchronize(stream));
  });
  measure("read", count, kBlockBytes, [&] {
    check(api->copy_to_host(device, stream, to.data(), memory, kBlockBytes));
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
  if (verb == "send" && count == 5) return send(words[2], words[3], std::atoi(words[4]));
  if (verb == "receive" && count == 5) return receive(words[2], words[3], std::atoi(words[4]));
  if (verb == "rank" && count == 7) {
    return rank(std::atoi(words[2]), words[3], words[4], words[5], std::atoi(words[6]));
  }
  if (verb == "serve" && count == 4) return serve(words[2], words[3]);
  if (verb == "device" && count == 5) return use_device(words[2], words[3], std::atoi(words[4]));
  std::fprintf(stderr, "bulk: see the head of tests/bench/bulk/main.cc\n");
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

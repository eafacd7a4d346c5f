// Messages of schema/device.fbs with right sizes and checksums.
#ifndef PERCALE_TESTS_FUZZ_REMOTE_FRAMES_H_
#define PERCALE_TESTS_FUZZ_REMOTE_FRAMES_H_

#include <algorithm>
#include <cstring>

#include "tests/unit/remote/raw_client.h"

namespace percale::fuzz {

// Sets the sizes and checksums as the sender would, so that a message is not refused for them
// alone. `number`: of the message on its stream. The table is as long as the head says, or as there
// are bytes.
inline remote::ByteVector corrected(std::span<const std::byte> bytes, uint32_t number) {
  remote::wire::Frame head;
  remote::ByteVector out(bytes.begin(), bytes.end());
  if (bytes.size() < sizeof head) return out;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::span<const std::byte> rest = bytes.subspan(sizeof head);
  const size_t table = std::min<size_t>(head.table_bytes(), rest.size());
  head = {static_cast<uint32_t>(table), remote::checksum()(rest.data(), table, number),
          remote::checksum()(rest.data() + table, rest.size() - table, 0)};
  std::memcpy(out.data(), &head, sizeof head);
  return out;
}

}  // namespace percale::fuzz

#endif  // PERCALE_TESTS_FUZZ_REMOTE_FRAMES_H_

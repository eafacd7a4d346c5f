// SHA-256 (FIPS 180-4): digests of parameters and of downloaded data.
#ifndef PERCALE_CORE_FILE_SHA256_H_
#define PERCALE_CORE_FILE_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace percale {

// Hashes a message given in parts. Copyable: a copy continues from the same state.
class Sha256 {
 public:
  Sha256& update(const void* data, size_t bytes);
  Sha256& update(std::string_view bytes) { return update(bytes.data(), bytes.size()); }
  // Returns the digest of all bytes so far. update() may be called afterwards.
  std::array<uint8_t, 32> digest() const;
  // Returns the digest as 64 lower-case hexadecimal digits.
  std::string hex() const;

 private:
  void block(const uint8_t* data);
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  uint64_t bytes_ = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_FILE_SHA256_H_

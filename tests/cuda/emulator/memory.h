// Emulated device memory. Addresses lie in inaccessible pages; the bytes are elsewhere, and only
// copies and kernels find them.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_MEMORY_H_
#define PERCALE_TESTS_CUDA_EMULATOR_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace percale_emulator {

// The memory of all devices. Not thread-safe: callers hold the emulator's lock.
class Memory {
 public:
  Memory();

  // Returns 0 if there is not enough memory.
  uint64_t allocate(int device, uint64_t bytes);
  // Returns "" or a description of the error.
  std::string free(uint64_t address);
  uint64_t used(int device) const;
  size_t blocks(int device) const;

  void add_host(void* memory, uint64_t bytes);
  bool remove_host(void* memory);
  bool is_host(const void* memory, uint64_t bytes) const;
  size_t host_blocks() const { return host_.size(); }

  // Returns the address of the bytes; null if they are not all in one block or in pinned memory.
  // Marks the block as touched.
  void* reach(uint64_t address, uint64_t bytes);
  // open_way() lets one device's work access another's blocks; false if it could before.
  // close_ways() ends all such access from and to a device.
  bool open_way(int from, int to) { return ways_.insert({from, to}).second; }
  void close_ways(int device);
  // Checks the blocks touched since the last call by work of `device` (-1: by the host): nothing
  // was written next to a block, and the device may access it. Returns "" or a description of the
  // error.
  std::string check_touched(int device = -1);

 private:
  struct Block {
    int device;
    uint64_t bytes;
    std::vector<std::byte> store;  // the contents between two guards
    bool touched = false;
  };
  std::byte* data(Block& block) const;
  bool guards_intact(const Block& block) const;

  uint64_t next_ = 0, end_ = 0;
  std::map<uint64_t, Block> blocks_;
  std::map<uint64_t, uint64_t> host_;
  std::map<uint64_t, Block>::iterator last_;
  std::vector<Block*> touched_;
  std::set<std::pair<int, int>> ways_;
};

}  // namespace percale_emulator

#endif  // PERCALE_TESTS_CUDA_EMULATOR_MEMORY_H_

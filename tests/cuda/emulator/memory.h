// Device memory that is none: addresses of pages that nobody may touch, and bytes elsewhere, where only copies and kernels are led.
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

// Of all devices. Not thread-safe: callers hold the emulator's lock.
class Memory {
 public:
  Memory();

  // 0: no such memory.
  uint64_t allocate(int device, uint64_t bytes);
  // Empty, or what is wrong with it.
  std::string free(uint64_t address);
  uint64_t used(int device) const;
  size_t blocks(int device) const;

  void add_host(void* memory, uint64_t bytes);
  bool remove_host(void* memory);
  bool is_host(const void* memory, uint64_t bytes) const;
  size_t host_blocks() const { return host_.size(); }

  // Where the bytes are; null where they are not all in one block, or in pinned memory. Notes the block as touched.
  void* reach(uint64_t address, uint64_t bytes);
  // A device's work may touch another's blocks; false where it could before. And no more, for all ways of a device.
  bool open_way(int from, int to) { return ways_.insert({from, to}).second; }
  void close_ways(int device);
  // Of the blocks touched since the last call, by work of `device` (-1: of nobody): whether something was written beside one, or it may not
  // touch one. Empty, or what.
  std::string check_touched(int device = -1);

 private:
  struct Block {
    int device;
    uint64_t bytes;
    std::vector<std::byte> store;  // the bytes between two guards
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

// Runs threads as fibers: a thread that reaches a barrier yields to the next one. Most kernels have
// no barrier; then a thread costs only a call.
#include "tests/cuda/emulator/block.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace percale_emulator {

Thread* current = nullptr;

namespace {

constexpr size_t kStackBytes = 128 << 10;
constexpr unsigned kWarp = 32;

struct Barrier {
  unsigned arrived = 0;
  uint64_t generation = 0;
};

struct Warp {
  Barrier barrier;
  unsigned lanes = 0, ended = 0;
  std::array<std::array<uint64_t, kWarp>, 2>
      // Indexed by the parity of the generation, so that slots still being read are not
      // overwritten.
      slots{};
};

#if defined(__x86_64__)
// Saves the callee-saved registers to `from` and resumes at `to`.
extern "C" void percale_emulator_switch(void** from, void* to);
asm(R"(
.text
.globl percale_emulator_switch
.hidden percale_emulator_switch
.type percale_emulator_switch, @function
percale_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size percale_emulator_switch, . - percale_emulator_switch
)");
#endif

void fiber_main();

class Fiber {
 public:
  Fiber() {
    stack_ = static_cast<char*>(
        mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (stack_ == MAP_FAILED) std::abort();
#if defined(__x86_64__)
    auto** top = reinterpret_cast<void**>(stack_ + kStackBytes);
    *--top = nullptr;  // the stack is aligned as after a call
    *--top = reinterpret_cast<void*>(&fiber_main);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    at_ = top;
#else
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = kStackBytes;
    context_.uc_link = nullptr;
    makecontext(&context_, fiber_main, 0);
#endif
  }
  ~Fiber() { munmap(stack_, kStackBytes); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Switch from the scheduler to the fiber, and back.
  void enter() {
#if defined(__x86_64__)
    percale_emulator_switch(&back_, at_);
#else
    swapcontext(&back_, &context_);
#endif
  }
  void leave() {
#if defined(__x86_64__)
    percale_emulator_switch(&at_, back_);
#else
    swapcontext(&context_, &back_);
#endif
  }

 private:
  char* stack_;
#if defined(__x86_64__)
  void *at_ = nullptr, *back_ = nullptr;
#else
  ucontext_t context_, back_;
#endif
};

struct DeviceThread {
  Thread info{};
  Fiber* fiber = nullptr;  // null: not started, or ended
  bool ended = false;
};

// The state of the current launch.
struct State {
  Kernel kernel = nullptr;
  const void* arguments = nullptr;
  std::vector<DeviceThread> threads;
  std::vector<Warp> warps;
  Barrier barrier;
  unsigned ended = 0;
  DeviceThread* running = nullptr;
  bool moved = false;  // a thread has advanced in this round
  std::string complaint;
  std::vector<std::unique_ptr<Fiber>> all;
  std::vector<Fiber*> idle;
  std::vector<uint64_t> shared;
  uint64_t order = 0;
  std::minstd_rand chance;
  std::vector<uint64_t> warp_turns, lane_turns;  // execution order of the block's warps and lanes
};
State& state() {
  static auto* const only = new State;
  return *only;
}

void open_if_all(Barrier& barrier, unsigned all) {
  if (barrier.arrived == 0 || barrier.arrived < all) return;
  barrier.arrived = 0;
  ++barrier.generation;
  state().moved = true;
}

void end_thread(DeviceThread& t) {
  State& s = state();
  t.ended = true;
  Warp& warp = s.warps[static_cast<size_t>(t.info.warp)];
  ++warp.ended;
  ++s.ended;
  open_if_all(s.barrier, static_cast<unsigned>(s.threads.size()) - s.ended);
}

void fiber_main() {
  State& s = state();
  while (true) {
    DeviceThread& t = *s.running;
    s.kernel(s.arguments);
    end_thread(t);
    t.fiber->leave();
  }
}

void wait_at(Barrier& barrier, unsigned all) {
  const uint64_t seen = barrier.generation;
  ++barrier.arrived;
  open_if_all(barrier, all);
  State& s = state();
  while (barrier.generation == seen) s.running->fiber->leave();
}

void resume(DeviceThread& t) {
  State& s = state();
  if (t.fiber == nullptr) {
    if (s.idle.empty()) {
      s.all.push_back(std::make_unique<Fiber>());
      s.idle.push_back(s.all.back().get());
    }
    t.fiber = s.idle.back();
    s.idle.pop_back();
    s.moved = true;
  }
  s.running = &t;
  current = &t.info;
  t.fiber->enter();
  current = nullptr;
  if (!t.ended) return;
  s.moved = true;
  s.idle.push_back(t.fiber);
  t.fiber = nullptr;
}

// Fills `numbers` with 0 to count - 1 in the configured order.
void put_in_order(std::vector<uint64_t>& numbers, uint64_t count) {
  State& s = state();
  numbers.resize(count);
  std::iota(numbers.begin(), numbers.end(), uint64_t{0});
  if (s.order == 1) std::reverse(numbers.begin(), numbers.end());
  if (s.order > 1) std::shuffle(numbers.begin(), numbers.end(), s.chance);
}

void begin_block(EmulatedDim3 at, EmulatedDim3 grid, EmulatedDim3 block) {
  State& s = state();
  const unsigned count = block.x * block.y * block.z;
  s.threads.assign(count, {});
  s.warps.assign((count + kWarp - 1) / kWarp, {});
  s.barrier = {};
  s.ended = 0;
  for (unsigned i = 0; i < count; ++i) {
    Thread& t = s.threads[i].info;
    t.thread = {i % block.x, i / block.x % block.y, i / (block.x * block.y)};
    t.block = at;
    t.block_dim = block;
    t.grid_dim = grid;
    t.lane = static_cast<int>(i % kWarp);
    t.warp = static_cast<int>(i / kWarp);
    ++s.warps[i / kWarp].lanes;
  }
}

// Runs the threads of a warp until each has ended or waits for other warps, so one warp may be far
// ahead of the others. Returns true if a thread advanced.
bool run_warp(size_t warp) {
  State& s = state();
  bool any = false;
  do {
    s.moved = false;
    for (uint64_t lane : s.lane_turns) {
      const size_t i = warp * kWarp + lane;
      if (i < s.threads.size() && !s.threads[i].ended) resume(s.threads[i]);
    }
    any = any || s.moved;
  } while (s.moved);
  return any;
}

// Runs until all threads have ended or none advances.
void run_threads() {
  State& s = state();
  put_in_order(s.warp_turns, s.warps.size());
  put_in_order(s.lane_turns, kWarp);
  while (s.ended < s.threads.size()) {
    bool any = false;
    for (uint64_t warp : s.warp_turns) any = run_warp(warp) || any;
    if (any) continue;
    // The waiting fibers are leaked with their stacks, because none is resumed.
    complain("threads wait at a barrier that others never reach");
    for (auto& fiber : s.all) static_cast<void>(fiber.release());
    s.all.clear();
    s.idle.clear();
    return;
  }
}

}  // namespace

void set_order(uint64_t order) {
  state().order = order;
  state().chance.seed(static_cast<std::minstd_rand::result_type>(order));
}

void complain(const std::string& what) {
  if (state().complaint.empty()) state().complaint = what;
}

void block_barrier() {
  State& s = state();
  wait_at(s.barrier, static_cast<unsigned>(s.threads.size()) - s.ended);
}

const uint64_t* exchange_all(uint64_t value) {
  State& s = state();
  const DeviceThread& t = *s.running;
  Warp& warp = s.warps[static_cast<size_t>(t.info.warp)];
  if (warp.lanes != kWarp) complain("a shuffle in a warp of fewer than 32 threads");
  if (warp.ended > 0) complain("a shuffle in a warp of which a thread has ended");
  auto& slots = warp.slots[warp.barrier.generation % 2];
  slots[static_cast<size_t>(t.info.lane)] = value;
  wait_at(warp.barrier, warp.lanes);
  return slots.data();
}

uint64_t exchange(uint64_t value, unsigned from_lane) { return exchange_all(value)[from_lane % kWarp]; }

void* dynamic_shared() { return state().shared.data(); }

std::string run_grid(Kernel kernel, const void* arguments, EmulatedDim3 grid, EmulatedDim3 block,
                     unsigned shared_bytes) {
  State& s = state();
  s.shared.assign(shared_bytes / 8 + 1, 0xA5A5A5A5A5A5A5A5);  // not zero
  s.kernel = kernel;
  s.arguments = arguments;
  s.complaint.clear();
  std::vector<uint64_t> blocks;
  put_in_order(blocks, uint64_t{grid.x} * grid.y * grid.z);
  for (size_t i = 0; i < blocks.size() && s.complaint.empty(); ++i) {
    const uint64_t at = blocks[i], line = at / grid.x;
    begin_block({static_cast<unsigned>(at % grid.x), static_cast<unsigned>(line % grid.y),
                 static_cast<unsigned>(line / grid.y)},
                grid, block);
    run_threads();
  }
  return s.complaint;
}

}  // namespace percale_emulator

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "tests/cuda/emulator/driver/driver.h"

namespace percale_emulator::driver {

State& state() {
  static auto* const only = new State;
  return *only;
}

Options parse(const char* text) {
  Options out;
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::string item(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = item.substr(0, equals);
    const uint64_t value = std::strtoull(item.c_str() + equals + 1, nullptr, 10);
    if (key == "devices") out.devices = static_cast<int>(value);
    if (key == "memory") out.memory = value;
    if (key == "fail_allocation") out.fail_allocation = value;
    if (key == "fail_host_allocation") out.fail_host_allocation = value;
    if (key == "sticky_launch") out.sticky_launch = value;
    if (key == "sticky_copy") out.sticky_copy = value;
    if (key == "strict") out.strict = value != 0;
    if (key == "peers") out.peers = value != 0;
    if (key == "order") out.order = value;
    if (key == "fail_capture") out.fail_capture = value;
    if (key == "version") out.version = static_cast<int>(value);
  }
  return out;
}

Result misuse(const std::string& what, Result result) {
  note_problem(what);
  return result;
}

bool fault(uint64_t count, uint64_t at, ContextTag& context) {
  if (at == 0 || count != at) return false;
  context.sticky = kIllegalAddress;
  return true;
}

}  // namespace percale_emulator::driver

namespace percale_emulator {

using namespace driver;

void note_problem(const std::string& what) {
  State& s = state();
  ++s.problems;
  std::fprintf(stderr, "cuda emulator: %s\n", what.c_str());
  if (s.options.strict) std::abort();
}

void* reach(uint64_t address) {
  if (address == 0) return nullptr;
  void* out = state().memory.reach(address, 0);
  if (out != nullptr) return out;
  complain("a kernel is given an address that is no memory");
  static std::byte nowhere[1 << 16];
  return nowhere;
}

void* reach_bytes(uint64_t address, uint64_t bytes) { return state().memory.reach(address, bytes); }

Result enqueue(Stream stream, std::function<std::string()> work) {
  Call call("cublasLtMatmul");
  if (call.fails()) return call.result;
  if (!known(stream, "cublasLtMatmul")) return kInvalidValue;
  ++state().launches;
  if (fault(state().launches, state().options.sticky_launch, *call.context)) return kSuccess;
  stream->push(std::move(work));
  return kSuccess;
}

}  // namespace percale_emulator

using namespace percale_emulator;
using namespace percale_emulator::driver;

extern "C" {

uint64_t percale_emulator_problems(void) {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().problems, 0);
}

void percale_emulator_configure(const char* text) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const int devices = s.options.devices;
  s.options = parse(text);
  set_order(s.options.order);
  s.options.devices = devices;
  s.launches = s.copies = s.captures = s.allocations = s.host_allocations = 0;
}

uint64_t percale_emulator_launches(void) { return state().launches; }
uint64_t percale_emulator_replayed(void) { return state().replayed; }
// Returns the number of launches at the first copy to the host since the last call; 0 if there was
// no such copy.
uint64_t percale_emulator_launches_at_copy(void) { return std::exchange(state().launches_at_copy, 0); }
uint64_t percale_emulator_copies(void) { return state().copies; }
uint64_t percale_emulator_allocations(void) { return state().allocations; }

}  // extern "C"

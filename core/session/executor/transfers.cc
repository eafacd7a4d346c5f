#include "core/session/executor/transfers.h"

#include "core/session/executor/operands.h"
#include "core/session/executor/store_access.h"

namespace percale {
namespace {

// The host memory that a transfer from a device with memory of its own passes through.
void* staging_of(const Execution& run, const BoundProgram& from, int32_t transfer) {
  std::byte* own = run.bound.staging[static_cast<size_t>(transfer)].data;
  if (own != nullptr || !from.has_stream()) return own;
  for (const StreamCopy& send : from.stream->sends) {
    if (send.output == run.transfer(transfer).from_output) return run.bound.staging[static_cast<size_t>(send.to)].data;
  }
  return nullptr;
}

// Programs that share the host's memory read where the sender wrote. Otherwise the host passes the
// bytes on.
Status receive(const Execution& run, BoundProgram& to, int32_t number) {
  const Transfer& t = run.transfer(number);
  if (t.to_input < 0) return {};  // only an order
  const auto input = static_cast<size_t>(t.to_input);
  if (to.read[input] != nullptr) return {};  // borrow_variables() found it
  const auto output = static_cast<size_t>(t.from_output);
  const BoundProgram& from = run.program(t.from_part);
  const bool on_host = from.shares_host_memory();
  void* where = on_host ? output_address(run, from, output) : staging_of(run, from, number);
  if (!on_host && !from.has_stream()) PERCALE_RETURN_IF_ERROR(copy_from_output(run, from, output, where, t.bytes));
  if (to.placed->input_keys[input].defined()) {
    PERCALE_RETURN_IF_ERROR(borrow_input(run, to, input, where, where, t.bytes));
    where = to.read[input]->data();
  } else if (!to.shares_host_memory()) {
    return copy_to_input(to, input, where, t.bytes);
  }
  patch_input(to, t.to_input, where);
  return {};
}

}  // namespace

Status copy_to_input(BoundProgram& p, size_t input, const void* from, int64_t bytes) {
  const Device& d = p.device();
  return from_c(d.api().copy_from_host(d.handle(), p.stream_handle(), p.table.own_inputs[input], from,
                                       static_cast<uint64_t>(bytes)))
      .with_context(d.name());
}

Status copy_from_output(const Execution& run, const BoundProgram& p, size_t output, void* to, int64_t bytes) {
  const Device& d = p.device();
  // A device with copy_out copies beside its work: an output that is ready is not written again.
  const auto copy = d.api().copy_out != nullptr && p.has_stream() ? d.api().copy_out : d.api().copy_to_host;
  return from_c(copy(d.handle(), p.stream_handle(), to, output_address(run, p, output), static_cast<uint64_t>(bytes)))
      .with_context(d.name());
}

bool receive_awaited(Execution& run, BoundProgram& p, int32_t i) {
  SyncPoints& sync = p.sync;
  for (; sync.waits_before(i); ++sync.next_wait) {
    const Wait& w = sync.waits[sync.next_wait];
    if (run.program(w.from).progress.load(std::memory_order_acquire) < w.progress) return false;
    if (run.signal.failed()) return false;  // the value may be missing
    if (Status status = receive(run, p, w.transfer); !status.ok()) {
      run.fail(std::move(status));
      return false;
    }
  }
  return true;
}

}  // namespace percale

#include "core/session/executor/store_access.h"

#include <utility>

#include "core/session/executor/operands.h"

namespace percale {
namespace {

// The version of a value that the run reads. Values that the run has assigned have none.
StoreVersion version_of(const Execution& run, StoreKey key, const void* owner) {
  const StateFrame& state = run.frame.state;
  const RunValues& values = run.frame.options.values;
  switch (key.kind) {
    case StoreKey::Kind::kNone:
    case StoreKey::Kind::kHanded: return {};
    case StoreKey::Kind::kResident: return {values.resident_version(), nullptr};
    case StoreKey::Kind::kPrecomputed:
      if (!state.next.empty()) return {};
      return {state.version, values.are_callers() ? nullptr : &run.engine};
    case StoreKey::Kind::kVariable: break;
  }
  if (state.is_assigned(key.index)) return {};
  if (const auto* each = values.versions().each) return {(*each)[static_cast<size_t>(key.index)], nullptr};
  return {state.version, owner};
}

// The version of a value that the run has computed. Unknown if the run failed.
StoreVersion computed_version_of(const Execution& run, StoreKey key) {
  const RunValues& values = run.frame.options.values;
  if (!run.status().ok()) return {};
  if (key.kind == StoreKey::Kind::kResident) return {values.next_resident_version(), nullptr};
  const auto* next = values.versions().next;
  return next == nullptr ? StoreVersion{} : StoreVersion{(*next)[static_cast<size_t>(key.index)], nullptr};
}

// The outputs that change a borrowed input in place get its memory.
Status overwrite_input(BoundProgram& p, size_t input) {
  for (size_t k = 0; k < p.placed->output_over.size(); ++k) {
    if (p.placed->output_over[k] != static_cast<int32_t>(input)) continue;
    DeviceStore::Copy* const copy = p.read[input];
    if (!DeviceStore::overwrite(copy)) {
      return internal_error(p.device().name(), ": a value that a run changes in place is read by another run");
    }
    p.made[k] = copy;
    patch_output(p, static_cast<int32_t>(k), copy->data());
  }
  return {};
}

}  // namespace

Status borrow_input(const Execution& run, BoundProgram& p, size_t input, const void* contents, const void* owner,
                    int64_t bytes) {
  const StoreKey key = p.placed->input_keys[input];
  PERCALE_ASSIGN_OR_RETURN(p.read[input],
                           run.frame.store->fetch(p.device(), key, version_of(run, key, owner), contents, bytes));
  return overwrite_input(p, input);
}

Status borrow_feed(const Execution& run, BoundProgram& p, size_t input, const Tensor& feed) {
  const StoreKey key = p.placed->input_keys[input];
  if (key.kind == StoreKey::Kind::kHanded) {
    p.read[input] = run.frame.handed[static_cast<size_t>(key.index)];
    DeviceStore::borrow(p.read[input]);
  } else if (feed.defined()) {
    PERCALE_RETURN_IF_ERROR(borrow_input(run, p, input, feed.data(), nullptr, feed.bytes()));
  } else {
    p.read[input] = run.frame.store->find(p.device(), key, version_of(run, key, nullptr));
  }
  if (p.read[input] == nullptr) return internal_error(p.device().name(), " lacks what it was to be given");
  p.table.inputs[input] = p.read[input]->data();
  return {};
}

Status borrow_output(const Execution& run, BoundProgram& p, size_t output) {
  if (p.placed->output_over[output] >= 0) return {};
  const ValueType& type = p.program().outputs[output];
  PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(type.dtype, type.shape));
  PERCALE_ASSIGN_OR_RETURN(p.made[output], run.frame.store->allocate(p.device(), p.placed->output_keys[output], bytes));
  p.table.outputs[output] = p.made[output]->data();
  return {};
}

Status borrow_variables(const Execution& run, BoundProgram& p) {
  if (!p.has_stream()) return {};
  p.stream->has_variables = true;
  for (const Wait& w : p.sync.waits) {
    if (!w.kept) continue;
    const Transfer& t = run.transfer(w.transfer);
    const auto input = static_cast<size_t>(t.to_input);
    const StoreKey key = p.placed->input_keys[input];
    const void* owner = output_address(run, run.program(t.from_part), static_cast<size_t>(t.from_output));
    DeviceStore::Copy* copy = run.frame.store->find(p.device(), key, version_of(run, key, owner));
    if (copy == nullptr) {
      p.stream->has_variables = false;
      continue;
    }
    p.read[input] = copy;
    p.table.inputs[input] = copy->data();
    PERCALE_RETURN_IF_ERROR(overwrite_input(p, input));
  }
  patch_inputs(run, p);
  return {};
}

void return_copies(Execution& run) {
  for (auto& p : run.bound.programs) {
    for (auto& copy : p->read) {
      if (auto* lent = std::exchange(copy, nullptr)) DeviceStore::release(lent);
    }
    for (size_t k = 0; k < p->made.size(); ++k) {
      auto* lent = std::exchange(p->made[k], nullptr);
      if (lent == nullptr) continue;
      const StoreKey key = p->placed->output_keys[k];
      if (key.kind == StoreKey::Kind::kHanded && run.status().ok()) {
        run.frame.to_hand_on[static_cast<size_t>(key.index)] = lent;
      } else {
        DeviceStore::publish(lent, computed_version_of(run, key));
      }
    }
  }
}

}  // namespace percale

// Streams and events.
#include "tests/cuda/emulator/driver/driver.h"

namespace percale_emulator::driver {

void step(StreamTag& stream) {
  const auto work = std::move(stream.work.front());
  stream.work.pop_front();
  const std::string wrong = work();
  const std::string beside = state().memory.check_touched(stream.context->device);
  for (const std::string& what : {wrong, beside}) {
    if (what.empty()) continue;
    note_problem(what);
    stream.context->sticky = kIllegalAddress;
  }
}

void drain(StreamTag& stream) {
  while (!stream.work.empty() && stream.context->sticky == kSuccess) step(stream);
  if (stream.context->sticky != kSuccess) stream.work.clear();
}

Result wait_for(EventTag& event, uint64_t number) {
  while (event.reached < number && event.context->sticky == kSuccess && !event.stream->work.empty())
    step(*event.stream);
  return event.context->sticky;
}

bool known(StreamTag* stream, const char* who) {
  if (state().streams.contains(stream)) return true;
  note_problem(std::string(who) + " on no stream");
  return false;
}
bool known(EventTag* event, const char* who) {
  if (state().events.contains(event)) return true;
  note_problem(std::string(who) + " of no event");
  return false;
}

}  // namespace percale_emulator::driver

using namespace percale_emulator;
using namespace percale_emulator::driver;

extern "C" {

Result cuStreamCreate(Stream* out, unsigned flags) {
  const Call call("cuStreamCreate");
  if (call.fails()) return call.result;
  if ((flags & kStreamNonBlocking) == 0) note_problem("a stream that waits for the host's own work");
  *out = new StreamTag{call.context};
  state().streams.insert(*out);
  return kSuccess;
}

Result cuStreamDestroy_v2(Stream stream) {
  const Call call("cuStreamDestroy");
  if (call.context == nullptr || !known(stream, "cuStreamDestroy")) return kInvalidValue;
  if (!stream->work.empty() && call.result == kSuccess) note_problem("a stream destroyed with work in it");
  if (stream->keeps) note_problem("a stream destroyed while it keeps work");
  state().streams.erase(stream);
  delete stream;
  return call.result;
}

Result cuStreamSynchronize(Stream stream) {
  const Call call("cuStreamSynchronize");
  if (call.context == nullptr || !known(stream, "cuStreamSynchronize")) return kInvalidValue;
  if (stream->keeps) return misuse("cuStreamSynchronize of a stream that keeps work");
  drain(*stream);
  return call.context->sticky;
}

Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  const Call call("cuStreamWaitEvent");
  if (call.fails()) return call.result;
  if (!known(stream, "cuStreamWaitEvent") || !known(event, "cuStreamWaitEvent")) return kInvalidValue;
  const uint64_t number = event->recorded;  // later records do not matter
  stream->push([event, number]() -> std::string {
    wait_for(*event, number);
    return "";
  });
  return kSuccess;
}

Result cuEventCreate(Event* out, unsigned flags) {
  const Call call("cuEventCreate");
  if (call.fails()) return call.result;
  *out = new EventTag{call.context, (flags & kEventDisableTiming) == 0};
  state().events.insert(*out);
  return kSuccess;
}

Result cuEventDestroy_v2(Event event) {
  const Call call("cuEventDestroy");
  if (call.context == nullptr || !known(event, "cuEventDestroy")) return kInvalidValue;
  if (event->reached < event->recorded && call.result == kSuccess) wait_for(*event, event->recorded);
  state().events.erase(event);
  delete event;
  return call.result;
}

Result cuEventRecord(Event event, Stream stream) {
  const Call call("cuEventRecord");
  if (call.fails()) return call.result;
  if (!known(stream, "cuEventRecord") || !known(event, "cuEventRecord")) return kInvalidValue;
  if (stream->keeps) return misuse("cuEventRecord on a stream that keeps work");
  event->stream = stream;
  const uint64_t number = ++event->recorded;
  stream->push([event, number]() -> std::string {
    event->reached = number;
    return "";
  });
  return kSuccess;
}

// Each query executes one piece of work, so the event is reached after some queries.
Result cuEventQuery(Event event) {
  const Call call("cuEventQuery");
  if (call.context == nullptr || !known(event, "cuEventQuery")) return kInvalidValue;
  if (event->context->sticky != kSuccess) return event->context->sticky;
  if (event->reached >= event->recorded) return kSuccess;
  step(*event->stream);
  return event->context->sticky != kSuccess ? event->context->sticky : kNotReady;
}

Result cuEventSynchronize(Event event) {
  const Call call("cuEventSynchronize");
  if (call.context == nullptr || !known(event, "cuEventSynchronize")) return kInvalidValue;
  return wait_for(*event, event->recorded);
}

}  // extern "C"

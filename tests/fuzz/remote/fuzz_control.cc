// Fuzzes control messages between the processes of a group: whatever a process sends, the chief and
// a member go on, refuse it, or end the connection.
#include <thread>

#include "core/file/crc32c.h"
#include "devices/remote/group/chief.h"
#include "devices/remote/group/member.h"
#include "tests/fuzz/remote/input.h"
#include "tests/unit/remote/fake_link.h"

namespace {

using namespace percale::remote;
using percale::fuzz::RemoteInput;
using percale::fuzz::RemoteStep;

std::shared_ptr<Exchange> make_exchange(int rank) {
  return std::make_shared<Exchange>(rank, 2, static_cast<Checksum>(&percale::crc32c));
}

Application application(int rank) { return {rank, 2, "fuzz", "localhost:1", 1}; }

template <class T>
Message control(T body) {
  RecordingStream stream;
  tell(stream, std::move(body));
  return message_of(stream.message(0));
}

// A process with a control stream to the chief.
struct Process {
  explicit Process(Chief& chief) : events(chief.accept(stream)) {}
  bool is_open() const { return stream->closes() == 0 && stream->aborts() == 0; }
  std::shared_ptr<RecordingStream> stream = std::make_shared<RecordingStream>();
  std::shared_ptr<StreamEvents> events;
};

// Bits of a step for the chief. Without any, its bytes are a message of the first process.
constexpr uint8_t kSecondProcess = 1, kCloses = 2;

void run_chief(RemoteInput& input) {
  const auto chief = std::make_shared<Chief>(application(0), make_exchange(0));
  Process processes[] = {Process(*chief), Process(*chief)};
  bool is_formed = false;
  while (input.has_next()) {
    const RemoteStep step = input.next();
    Process& process = processes[step.kind & kSecondProcess];
    if ((step.kind & kCloses) != 0) {
      process.events->on_closed(step.bytes.empty() ? "" : "reset by peer");
      process = Process(*chief);
      continue;
    }
    const bool may_join = read_control(message_of(step.bytes)).AsHello() != nullptr && process.is_open();
    process.events->on_message(message_of(step.bytes));
    // A rank that is welcome completes the group. One that is not may still have been there.
    if (is_formed || !may_join || !process.is_open()) continue;
    chief->join(Clock::time_point::max());
    is_formed = true;
  }
  for (Process& process : processes) process.events->on_closed("");
  chief->leave();
}

void run_member(RemoteInput& input) {
  const auto stream = std::make_shared<RecordingStream>();
  std::shared_ptr<StreamEvents> events;
  const auto open = [&](std::shared_ptr<StreamEvents> opened) {
    events = std::move(opened);
    return stream;
  };
  const auto member = std::make_shared<Member>(application(1), "chief:1", open, make_exchange(1));
  std::thread thread([&] {
    try {
      member->join(Clock::time_point::max());
      while (true) member->lost({});
    } catch (const percale::plugin::Failure&) {  // in the end, because the chief refuses it
    }
  });
  stream->message(0);
  while (input.has_next()) events->on_message(message_of(input.next().bytes));
  wire::RefusalT refusal;
  refusal.code = PERCALE_UNAVAILABLE;
  events->on_message(control(std::move(refusal)));
  thread.join();
  events->on_closed("");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  RemoteInput input(data + 1, size - 1);
  (data[0] & 1) == 0 ? run_chief(input) : run_member(input);
  return 0;
}

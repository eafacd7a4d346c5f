#include "devices/remote/serve/queue_handler.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace percale::remote {
namespace {

std::span<const uint64_t> addresses(const flatbuffers::Vector<uint64_t>* of) {
  static_assert(std::endian::native == std::endian::little);  // as FlatBuffers has them
  if (of == nullptr) return {};
  return {of->data(), of->size()};
}

}  // namespace

QueueHandler::~QueueHandler() {
  if (client_ != nullptr) client_->leave(outlet_.stream().get());
}

void QueueHandler::on_message(Message message) {
  Frame frame = outlet_.take(std::move(message));
  if (client_ == nullptr) {
    const Outcome outcome = outcome_of([&] { open(frame); });
    if (outcome.code != PERCALE_OK) outlet_.refuse(outcome.code, outcome.message);
    return;
  }
  if (frame.as<wire::Beat>() != nullptr) return;
  if (const auto* const asked = frame.as<wire::Mark>()) return mark(*asked);
  const bool is_command = run(frame);
  if (frame.is_harmed()) return outlet_.refuse(PERCALE_UNAVAILABLE, kHarmed);
  if (is_command) return;
  outlet_.refuse(PERCALE_INVALID_ARGUMENT,
                 std::string("it has sent the message ") + frame.name() + ", which is no command of a stream");
}

void QueueHandler::open(const Frame& frame) {
  const auto* const wanted = frame.as<wire::OpenQueue>();
  if (wanted == nullptr) {
    throw plugin::Failure(PERCALE_INVALID_ARGUMENT,
                          std::string("its first message is ") + frame.name() + ", wanted OpenQueue");
  }
  const std::shared_ptr<Client> found = clients_->find(wanted->client());
  found->enter(outlet_.stream());
  client_ = found;
  outlet_.send(wire::AnswerT());
}

void QueueHandler::mark(const wire::Mark& mark) {
  wire::DoneT done;
  done.code = static_cast<uint32_t>(error_.code);
  done.message = error_.message;
  if (mark.forgets_error()) error_ = {};
  outlet_.send(std::move(done));
}

bool QueueHandler::run(Frame& frame) {
  const auto* const writing = frame.as<wire::Write>();
  const auto* const reading = frame.as<wire::Read>();
  const auto* const executing = frame.as<wire::Execute>();
  if (writing == nullptr && reading == nullptr && executing == nullptr) return false;
  if (error_.code != PERCALE_OK) return true;
  error_ = outcome_of([&] {
    if (writing != nullptr) write(writing->address(), frame);
    if (reading != nullptr) read(reading->address(), reading->bytes());
    if (executing != nullptr) execute(*executing);
  });
  // The client learns of a lost device by the end of its streams.
  if (error_.code != PERCALE_OK && client_->device().is_lost()) client_->end();
  return true;
}

void QueueHandler::write(uint64_t address, Frame& frame) {
  const size_t bytes = frame.raw_bytes();
  const std::shared_ptr<void> to = client_->memory().find(address, bytes, "a copy to memory");
  buffer_.resize(std::max(buffer_.size(), bytes));
  if (!frame.read_raw(buffer_.data())) return;
  client_->device().copy_from_host(to.get(), buffer_.data(), bytes);
}

void QueueHandler::read(uint64_t address, uint64_t bytes) {
  const std::shared_ptr<void> from = client_->memory().find(address, bytes, "a copy from memory");
  for (uint64_t at = 0; at < bytes;) {
    const auto part = static_cast<size_t>(std::min<uint64_t>(kMaxRawBytes, bytes - at));
    buffer_.resize(std::max(buffer_.size(), part));
    client_->device().copy_to_host(buffer_.data(), static_cast<const std::byte*>(from.get()) + at, part);
    if (!outlet_.wait_for_room()) throw plugin::Failure(PERCALE_UNAVAILABLE, "the client has gone");
    outlet_.send(wire::DataT(), {buffer_.data(), part});
    at += part;
  }
}

void QueueHandler::execute(const wire::Execute& command) {
  client_->execute(command.executable(), addresses(command.inputs()), addresses(command.outputs()));
}

}  // namespace percale::remote

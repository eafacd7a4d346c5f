#include "devices/remote/serve/device_handler.h"

#include <utility>

namespace percale::remote {
namespace {

wire::AnswerT answer_of(Outcome outcome) {
  wire::AnswerT out;
  out.code = static_cast<uint32_t>(outcome.code);
  out.message = std::move(outcome.message);
  return out;
}

}  // namespace

DeviceHandler::~DeviceHandler() {
  clients_->release_upload(graph_.size());
  if (client_ == nullptr) return;
  client_->end();
  clients_->remove(secret_, has_left_);
}

void DeviceHandler::on_message(Message message) {
  Frame frame = outlet_.take(std::move(message));
  if (client_ != nullptr) return call(frame);
  const wire::Open* const wanted = frame.as<wire::Open>();
  const Outcome outcome = outcome_of([&] {
    if (wanted == nullptr) {
      throw plugin::Failure(PERCALE_INVALID_ARGUMENT, std::string("its first message is ") + frame.name() +
                                                          ", wanted Open; both need the same version of Percale");
    }
    open(*wanted);
  });
  if (outcome.code != PERCALE_OK) outlet_.refuse(outcome.code, outcome.message);
}

void DeviceHandler::open(const wire::Open& open) {
  clients_->check(open);
  if (text_of(open.device()).empty()) {
    wire::DevicesT devices;
    devices.names = clients_->device_names();
    outlet_.send(std::move(devices));
    return outlet_.stream()->close();
  }
  Clients::Admitted admitted = clients_->admit(open);
  secret_ = admitted.secret;
  client_ = std::move(admitted.client);
  client_->enter(outlet_.stream());
  const percale_device_description facts = client_->device().describe();
  wire::OpenedT opened;
  opened.client = secret_;
  opened.model = facts.model == nullptr ? "" : facts.model;
  opened.memory_bytes = facts.memory_bytes;
  opened.gflops = facts.gflops;
  opened.gbytes_per_second = facts.gbytes_per_second;
  opened.places_nodes = facts.places_nodes != 0;
  outlet_.send(std::move(opened));
}

void DeviceHandler::call(Frame& frame) {
  if (frame.as<wire::Beat>() != nullptr) return;
  if (const auto* const allocation = frame.as<wire::Allocate>()) return allocate(allocation->bytes());
  if (const auto* const freed = frame.as<wire::Free>()) return client_->memory().free(freed->address());
  if (frame.as<wire::Upload>() != nullptr) upload(frame);
  if (frame.is_harmed()) return outlet_.refuse(PERCALE_UNAVAILABLE, kHarmed);
  if (frame.as<wire::Upload>() != nullptr) return;
  if (frame.as<wire::Compile>() != nullptr) return compile();
  if (frame.as<wire::Leave>() != nullptr) {
    has_left_ = true;
    return outlet_.stream()->close();
  }
  if (const auto* const discarded = frame.as<wire::Discard>()) return client_->discard(discarded->executable());
  outlet_.refuse(PERCALE_INVALID_ARGUMENT,
                 std::string("it has sent the message ") + frame.name() + ", which is no call of an open device");
}

void DeviceHandler::allocate(uint64_t bytes) {
  uint64_t address = 0;
  wire::AnswerT answer = answer_of(outcome_of([&] { address = client_->memory().allocate(bytes); }));
  answer.value = address;
  outlet_.send(std::move(answer));
}

void DeviceHandler::upload(Frame& frame) {
  if (upload_.code != PERCALE_OK) return;
  upload_ = outcome_of([&] {
    const size_t before = graph_.size(), bytes = frame.raw_bytes();
    if (bytes > clients_->limits().graph_bytes - before) {
      throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED,
                            "a part of a graph has more than " + std::to_string(clients_->limits().graph_bytes) +
                                " bytes, which is the limit of a remote device; pass large constants as inputs");
    }
    clients_->reserve_upload(bytes);
    try {
      graph_.resize(before + bytes);
    } catch (...) {
      clients_->release_upload(bytes);
      throw;
    }
    frame.read_raw(graph_.data() + before);
  });
}

void DeviceHandler::compile() {
  const std::vector<std::byte> graph = std::exchange(graph_, {});
  Outcome outcome = std::exchange(upload_, {});
  Client::Compiled compiled{};
  if (outcome.code == PERCALE_OK) outcome = outcome_of([&] { compiled = client_->compile(graph); });
  clients_->release_upload(graph.size());
  if (outcome.code != PERCALE_OK) return outlet_.send(answer_of(std::move(outcome)));
  wire::CompiledT answer;
  answer.executable = compiled.number;
  answer.inputs = static_cast<uint32_t>(compiled.inputs);
  answer.outputs = static_cast<uint32_t>(compiled.outputs);
  outlet_.send(std::move(answer));
}

}  // namespace percale::remote

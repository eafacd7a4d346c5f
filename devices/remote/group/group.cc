#include "devices/remote/group/group.h"

#include <new>
#include <utility>

#include "devices/remote/group/chief.h"
#include "devices/remote/group/member.h"
#include "devices/remote/group/sealed_stream.h"
#include "devices/remote/net/address.h"

namespace percale::remote {
namespace {

constexpr std::chrono::seconds kFarewell(5);

// Where this process listens. A machine has several addresses, so that with certificates it listens
// at all of them; without, at one that only this machine reaches.
std::string listening_address(const std::string& own, const Credentials& credentials) {
  if (own.starts_with("unix:")) return own;
  if (credentials.secure()) return join_address("0.0.0.0", port_of(own));
  return own.empty() ? "127.0.0.1:0" : own;
}

}  // namespace

Group::Group(const percale_group_place& place, Checksum checksum)
    : checksum_(checksum), links_(std::make_shared<Links>(place.rank, place.size, checksum)) {
  try {
    join(place);
  } catch (...) {
    end(std::chrono::milliseconds(0));
    throw;
  }
}

void Group::join(const percale_group_place& place) {
  const Clock::time_point deadline = deadline_after(place.timeout_ns);
  const Credentials credentials = read_credentials(place.certificates == nullptr ? "" : place.certificates);
  const std::string own = place.addresses[place.rank], chief = place.addresses[0];
  if (chief.empty()) throw plugin::Failure(PERCALE_INVALID_ARGUMENT, "the address of rank 0 is not known");
  for (int32_t rank = 0; rank < place.size; ++rank) {
    if (*place.addresses[rank] != '\0') check_may_reach(credentials, place.addresses[rank]);
  }
  const std::shared_ptr<Exchange> exchange(links_, &links_->exchange());
  Application application{place.rank, place.size, place.build, own, 0};
  if (place.rank == 0) control_ = chief_ = std::make_shared<Chief>(application, exchange);
  listener_ = std::make_unique<Listener>(
      listening_address(own, credentials), credentials,
      [this](const std::string& purpose, const std::shared_ptr<Stream>& stream) { return accept(purpose, stream); });
  application.port = listener_->port();
  if (place.rank != 0) {
    connection_ = std::make_unique<Connection>(chief, credentials);
    const auto open = [this](std::shared_ptr<StreamEvents> events) {
      auto sealed = std::make_shared<SealedStream>(checksum_);
      sealed->attach(std::move(events), [&] { return connection_->open(kControlPurpose, sealed); });
      return sealed;
    };
    control_ = std::make_shared<Member>(application, chief, open, exchange);
  }
  const Roll roll = control_->join(deadline);
  generation_ = roll.generation;
  links_->connect(roll, credentials, deadline);
}

Group::~Group() {
  try {
    control_->leave();
  } catch (const std::bad_alloc&) {  // the other ranks find this one lost
  }
  end(kFarewell);
}

void Group::end(std::chrono::milliseconds limit) {
  try {
    links_->close(limit);
  } catch (const std::bad_alloc&) {  // what follows ends them without order
  }
  connection_.reset();
  listener_.reset();
}

std::shared_ptr<StreamEvents> Group::accept(const std::string& purpose, const std::shared_ptr<Stream>& stream) {
  if (purpose == kLinkPurpose) return links_->accept(stream);
  if (purpose != kControlPurpose || chief_ == nullptr) return nullptr;
  auto sealed = std::make_shared<SealedStream>(checksum_);
  sealed->attach(chief_->accept(sealed), [&] { return stream; });
  return sealed;
}

void Group::exchange(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs,
                     int64_t timeout_ns) {
  links_->exchange().run(tag, sends, recvs, deadline_after(timeout_ns));
}

std::vector<int32_t> Group::lost() {
  std::vector<int32_t> out = control_->lost(links_->exchange().report());
  links_->renew();
  return out;
}

}  // namespace percale::remote

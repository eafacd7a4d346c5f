#include "devices/remote/group/roster.h"

#include <algorithm>

namespace percale::remote {

std::string Roster::join(int rank, std::string address, Clock::time_point now) {
  Member& m = member(rank);
  if (is_complete()) return "the group is complete and trains already; it goes on without ranks that it has lost";
  if (m.state == State::kPresent) return rank_name(rank) + " has joined already, from " + m.address;
  m.state = State::kPresent;
  m.address = std::move(address);
  m.heard = now;
  return "";
}

bool Roster::is_complete() const {
  return std::none_of(members_.begin(), members_.end(), [](const Member& m) { return m.state == State::kAbsent; });
}

std::string Roster::missing() const {
  std::string out;
  for (int rank = 0; rank < size(); ++rank) {
    if (member(rank).state == State::kAbsent) out += (out.empty() ? "" : ", ") + std::to_string(rank);
  }
  return out;
}

void Roster::forget(int rank) { member(rank) = {}; }

void Roster::leave(int rank) {
  if (!is_present(rank)) return;
  member(rank).state = State::kLeft;
  end_round();  // which may wait for this rank alone
}

void Roster::lose(int rank, const std::string& reason) {
  if (!is_present(rank) || rank == 0) return;
  const std::string told = rank_name(rank) + " is lost: " + reason;
  member(rank).state = State::kLost;
  orders_.dismiss(rank, reason);
  begin_round(told);
  end_round();
}

void Roster::fail(int rank, int peer) {
  if (!is_present(rank)) return;
  if (peer >= 0 && peer < size()) broken_.emplace_back(rank, peer);
  member(rank).waits = true;
  begin_round("an exchange has failed on " + rank_name(rank));
  end_round();
}

void Roster::check(Clock::time_point now) {
  for (int rank = 1; rank < size(); ++rank) {
    if (is_present(rank) && now - member(rank).heard > kSilence) {
      lose(rank, "nothing was heard of it for " + std::to_string(kSilence.count()) + " ms");
    }
  }
}

void Roster::begin_round(const std::string& reason) {
  if (std::exchange(in_round_, true)) return;
  for (int rank = 0; rank < size(); ++rank) {
    if (is_present(rank) && !member(rank).waits) orders_.failing(rank, reason);
  }
}

// Ends the round if all ranks that are left have stopped.
void Roster::end_round() {
  if (!in_round_) return;
  for (const Member& m : members_) {
    if (m.state == State::kPresent && !m.waits) return;
  }
  // If two ranks no longer reach each other, the lower one stays.
  for (const auto& [a, b] : std::exchange(broken_, {})) {
    if (!is_present(a) || !is_present(b)) continue;
    const int given_up = std::max(a, b);
    member(given_up).state = State::kLost;
    orders_.dismiss(given_up, "its connection to " + rank_name(std::min(a, b)) + " is broken");
  }
  std::vector<int32_t> gone;
  for (int rank = 0; rank < size(); ++rank) {
    if (!is_present(rank)) gone.push_back(rank);
    member(rank).waits = false;
  }
  in_round_ = false;
  for (int rank = 0; rank < size(); ++rank) {
    if (is_present(rank)) orders_.lost(rank, gone);
  }
}

}  // namespace percale::remote

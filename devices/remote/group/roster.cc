#include "devices/remote/group/roster.h"

#include <algorithm>
#include <map>

namespace percale::remote {
namespace {

// As many as fail before a rank says that it is stuck, and the round in which it does.
constexpr size_t kRoundsKept = 10;

}  // namespace

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

void Roster::fail(int rank, const LinkReport& report) {
  if (!is_present(rank)) return;
  const auto note = [&](const std::vector<int32_t>& peers, std::set<Link>& links) {
    for (const int32_t peer : peers) {
      if (peer >= 0 && peer < size() && peer != rank) links.emplace(std::min(rank, peer), std::max(rank, peer));
    }
  };
  note(report.harmed, harmed_);
  note(report.unreached, unreached_);
  is_stuck_ |= report.is_stuck;
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
  const std::set<Link> again = std::exchange(harmed_, {});
  for (const Link& link : std::exchange(unreached_, {})) give_up(link, " is broken, and cannot be made again");
  harms_.push_back(again);
  if (harms_.size() > kRoundsKept) harms_.pop_front();
  if (std::exchange(is_stuck_, false)) give_up_most_harmed();
  tell_end(again);
}

void Roster::give_up(const Link& link, const std::string& reason) {
  if (!is_present(link.first) || !is_present(link.second)) return;
  member(link.second).state = State::kLost;
  orders_.dismiss(link.second, "its connection to " + rank_name(link.first) + reason);
}

void Roster::give_up_most_harmed() {
  std::map<Link, size_t> counts;
  for (const std::set<Link>& of_round : harms_) {
    for (const Link& link : of_round) {
      if (is_present(link.first) && is_present(link.second)) ++counts[link];
    }
  }
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::ranges::max_element(counts, by_count);
  if (most == counts.end()) return;
  give_up(most->first,
          " was harmed in " + std::to_string(most->second) + " exchanges in a row, and nothing was done between them");
  harms_.clear();
}

void Roster::tell_end(const std::set<Link>& again) {
  std::vector<int32_t> gone;
  for (int rank = 0; rank < size(); ++rank) {
    if (!is_present(rank)) gone.push_back(rank);
    member(rank).waits = false;
  }
  in_round_ = false;
  for (int rank = 0; rank < size(); ++rank) {
    std::vector<int32_t> peers;
    for (const auto& [low, high] : again) {
      if (rank != low && rank != high) continue;
      if (const int peer = rank == low ? high : low; is_present(peer)) peers.push_back(peer);
    }
    if (is_present(rank)) orders_.lost(rank, gone, peers);
  }
}

}  // namespace percale::remote

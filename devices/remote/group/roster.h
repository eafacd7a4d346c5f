// The chief's list of ranks: who has joined, who is lost, and when those that are left may go on.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_ROSTER_H_
#define PERCALE_DEVICES_REMOTE_GROUP_ROSTER_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/remote/group/exchange.h"
#include "devices/remote/net/pulse.h"

namespace percale::remote {

// Decides, and sends nothing by itself. Rank 0 is the chief, who is never lost. Thread-compatible.
class Roster {
 public:
  // The messages that the chief must send to the ranks.
  class Orders {
   public:
    virtual ~Orders() = default;
    virtual void failing(int rank, const std::string& reason) = 0;
    // The ranks that are lost, and those to which the rank must make its links again.
    virtual void lost(int rank, const std::vector<int32_t>& ranks, const std::vector<int32_t>& again) = 0;
    // The rank is no longer one of the group.
    virtual void dismiss(int rank, const std::string& reason) = 0;
  };
  Roster(int size, Orders& orders) : members_(static_cast<size_t>(size)), orders_(orders) {}

  int size() const { return static_cast<int>(members_.size()); }
  // Returns why the rank may not join; "" if it has.
  std::string join(int rank, std::string address, Clock::time_point now);
  bool is_complete() const;
  // "1, 3"
  std::string missing() const;
  const std::string& address(int rank) const { return member(rank).address; }
  bool is_present(int rank) const { return member(rank).state == State::kPresent; }

  // Before the group is complete, a rank that has gone may join again.
  void forget(int rank);
  void hear(int rank, Clock::time_point now) { member(rank).heard = now; }
  // The rank has ended its work.
  void leave(int rank);
  void lose(int rank, const std::string& reason);
  // An exchange has failed on the rank.
  void fail(int rank, const LinkReport& report);
  // Loses ranks that are silent.
  void check(Clock::time_point now);

 private:
  enum class State : uint8_t { kAbsent, kPresent, kLeft, kLost };
  struct Member {
    State state = State::kAbsent;
    std::string address;
    Clock::time_point heard{};
    bool waits = false;  // has told of a failed exchange
  };
  Member& member(int rank) { return members_[static_cast<size_t>(rank)]; }
  const Member& member(int rank) const { return members_[static_cast<size_t>(rank)]; }
  void begin_round(const std::string& reason);
  void end_round();
  using Link = std::pair<int, int>;  // the lower rank comes first
  // The lower one of the two ranks stays.
  void give_up(const Link& link, const std::string& reason);
  void give_up_most_harmed();
  void tell_end(const std::set<Link>& again);

  std::vector<Member> members_;
  Orders& orders_;
  // The ranks are told that they cannot go on, and answer.
  bool in_round_ = false;
  bool is_stuck_ = false;              // says a rank in this round
  std::set<Link> harmed_, unreached_;  // in this round
  std::deque<std::set<Link>> harms_;   // in the last rounds
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_ROSTER_H_

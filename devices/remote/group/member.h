// Any other rank: it holds a control stream to the chief.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_MEMBER_H_
#define PERCALE_DEVICES_REMOTE_GROUP_MEMBER_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices/remote/group/control.h"
#include "devices/remote/net/pulse.h"

namespace percale::remote {

class Member final : public Control, public std::enable_shared_from_this<Member> {
 public:
  // Opens a control stream to the chief. Calls no event itself.
  using Open = std::function<std::shared_ptr<Stream>(std::shared_ptr<StreamEvents> events)>;
  // `chief`: the address, for messages.
  Member(Application application, std::string chief, Open open, std::shared_ptr<Exchange> exchange);
  ~Member() override;

  Roll join(Clock::time_point deadline) override;
  std::vector<int32_t> lost(const LinkReport& report) override;
  void leave() override;

 private:
  class Line;
  // One attempt. False: the chief was not reached.
  bool try_to_join(Clock::time_point deadline);
  void on_message(const wire::BodyUnion& body);
  // The parts of on_message(). take() returns the reason for which no exchange can end any more, if
  // there is one.
  std::string take(const wire::BodyUnion& body);
  void on_lost(const wire::LostT& message);
  std::string refused(const wire::RefusalT& refusal);
  void on_closed(const std::string& reason);
  void beat(Clock::time_point now, bool excused);
  // For how long this process has not sent beats until now; 0: not longer than the chief waits. The
  // mutex is held.
  std::chrono::milliseconds standstill() const;
  // Nothing can go on without the chief. The mutex is held.
  void end(percale_code code, const std::string& reason);

  const Application application_;
  const std::string chief_;
  const Open open_;
  const std::shared_ptr<Exchange> exchange_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::shared_ptr<Stream> stream_;  // null: none
  std::string closed_;              // why the last stream has ended
  std::optional<Roll> roll_;
  std::optional<plugin::Failure> ended_;
  bool is_asking_ = false;  // lost() waits for an answer
  std::optional<std::vector<int32_t>> lost_;
  Clock::time_point heard_{};
  Clock::time_point beaten_{};           // when this process last said that it is here
  std::chrono::milliseconds stopped_{};  // the standstill before beaten_
  bool is_silent_ = false;               // the chief
  bool is_leaving_ = false;
  std::optional<Pulse> pulse_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_MEMBER_H_

// Rank 0, to which all other ranks hold a control stream.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_CHIEF_H_
#define PERCALE_DEVICES_REMOTE_GROUP_CHIEF_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices/remote/group/control.h"
#include "devices/remote/group/roster.h"

namespace percale::remote {

class Chief final : public Control, private Roster::Orders, public std::enable_shared_from_this<Chief> {
 public:
  Chief(Application application, std::shared_ptr<Exchange> exchange);
  ~Chief() override;

  // A process has opened a control stream.
  std::shared_ptr<StreamEvents> accept(const std::shared_ptr<Stream>& stream);

  Roll join(Clock::time_point deadline) override;
  std::vector<int32_t> lost(const LinkReport& report) override;
  void leave() override;

 private:
  class Visitor;
  // Returns why the process may not join.
  std::string check(const wire::HelloT& hello) const;
  void on_hello(const std::shared_ptr<Stream>& stream, const wire::HelloT& hello, int& rank);
  void on_message(int rank, const wire::BodyUnion& body);
  void on_closed(int rank, const std::shared_ptr<Stream>& stream, const std::string& reason);
  void beat(Clock::time_point now, bool excused);
  // Calls `send(stream)` with the rank's stream, if there is one.
  template <class F>
  void order(int rank, F&& send);
  // Waits a little until the control streams that are closing have closed.
  void settle(std::unique_lock<std::mutex>& lock);

  void failing(int rank, const std::string& reason) override;
  void lost(int rank, const std::vector<int32_t>& ranks, const std::vector<int32_t>& again) override;
  void dismiss(int rank, const std::string& reason) override;

  const Application application_;
  const std::shared_ptr<Exchange> exchange_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Roster roster_;
  std::vector<std::shared_ptr<Stream>> streams_;  // by rank; null: none
  int open_ = 0;                                  // control streams of ranks that have joined
  bool is_formed_ = false, is_leaving_ = false;
  std::optional<std::vector<int32_t>> lost_;  // the end of a round that lost() waits for
  std::optional<Pulse> pulse_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_CHIEF_H_

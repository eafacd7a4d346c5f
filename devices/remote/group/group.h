// A rank of a group of processes: what percale_transport::join() makes.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_GROUP_H_
#define PERCALE_DEVICES_REMOTE_GROUP_GROUP_H_

#include <percale_plugin.h>

#include <memory>
#include <span>
#include <string>

#include "devices/remote/group/control.h"
#include "devices/remote/group/links.h"

namespace percale::remote {

// exchange() and lost() have one caller at a time. Functions throw Failure.
class Group {
 public:
  // Waits until all ranks have joined.
  Group(const percale_group_place& place, Checksum checksum);
  // Leaves, and waits a little until the other ranks have read what was sent to them.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  uint64_t generation() const { return generation_; }
  void exchange(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs,
                int64_t timeout_ns);
  std::vector<int32_t> lost();

 private:
  std::shared_ptr<StreamEvents> accept(const std::string& purpose, const std::shared_ptr<Stream>& stream);
  void join(const percale_group_place& place);
  // Ends all threads that use this.
  void end(std::chrono::milliseconds limit);

  const Checksum checksum_;
  std::shared_ptr<Links> links_;
  std::shared_ptr<Control> control_;
  std::shared_ptr<class Chief> chief_;      // the same, on rank 0
  std::unique_ptr<Connection> connection_;  // to the chief, on the other ranks
  std::unique_ptr<Listener> listener_;
  uint64_t generation_ = 0;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_GROUP_H_

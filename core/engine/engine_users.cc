#include "core/engine/engine_users.h"

#include <algorithm>

namespace percale {

void EngineUsers::add(EngineUser& user) {
  const std::lock_guard lock(mutex_);
  users_.push_back(&user);
}

void EngineUsers::remove(EngineUser& user) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(users_.begin(), users_.end(), &user);
  if (found == users_.end()) return;
  users_.erase(found);
  user.count(past_);
  past_.sessions = 0;
}

int64_t EngineUsers::trim() {
  const std::lock_guard lock(mutex_);
  int64_t bytes = 0;
  for (EngineUser* user : users_) bytes += user->trim();
  return bytes;
}

RunCounts EngineUsers::counts() const {
  const std::lock_guard lock(mutex_);
  RunCounts out = past_;
  for (const EngineUser* user : users_) user->count(out);
  return out;
}

}  // namespace percale

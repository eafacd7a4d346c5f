// Cancels the call of a trainer that is under way.
#ifndef PERCALE_CORE_TRAIN_LOOP_CALL_TOKEN_H_
#define PERCALE_CORE_TRAIN_LOOP_CALL_TOKEN_H_

#include <memory>
#include <mutex>
#include <utility>

#include "core/session/context/cancel.h"

namespace percale {

// One call at a time; cancel() is thread-safe.
class CallToken {
 public:
  // The token of a call that begins. Cancelled already if the parent is.
  std::shared_ptr<CancelToken> begin() {
    const std::lock_guard lock(mutex_);
    token_ = std::make_shared<CancelToken>(parent_.get());
    return token_;
  }
  // Calls end when `parent` is cancelled, too. Null: none. Not during a call.
  void set_parent(std::shared_ptr<const CancelToken> parent) {
    const std::lock_guard lock(mutex_);
    token_ = nullptr;
    parent_ = std::move(parent);
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    if (token_ != nullptr) token_->cancel();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const CancelToken> parent_;  // outlives the token of the last call
  std::shared_ptr<CancelToken> token_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOOP_CALL_TOKEN_H_

#include "core/train/loop/train_loop.h"

namespace percale {

bool TrainLoop::goes_on() const {
  return go_ && parts_.log.position().epoch < request_.epochs && !parts_.early.stopped();
}

Status TrainLoop::publish_unless_by_hand() const {
  return parts_.publisher.publish_if(!parts_.publishing.by_hand(), parts_.log.steps());
}

Status TrainLoop::publish_before(Status error) const {
  PERCALE_RETURN_IF_ERROR(publish_unless_by_hand());
  return error;
}

// The best weights come back once: what a host assigns or trains after that stays.
Status TrainLoop::finish(const FitParts& parts) {
  if (parts.early.brings_back()) {
    PERCALE_RETURN_IF_ERROR(parts.store.synchronize());
    parts.early.best().bring_back();
    parts.store.note_assigned();
    parts.publisher.note_step();
    parts.early.brought_back();
  }
  return parts.publisher.publish_if(!parts.publishing.by_hand(), parts.log.steps());
}

}  // namespace percale

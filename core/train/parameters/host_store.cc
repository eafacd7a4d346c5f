#include "core/train/parameters/host_store.h"

#include <utility>

namespace percale {

std::vector<Tensor> commit_feeds(const StepLayout& layout, const StepCommit& step) {
  const CommitLayout inputs(layout);
  std::vector<Tensor> feeds(inputs.updates().begin);
  feeds[CommitLayout::kWeight] = step.sums[StepLayout::kWeight];
  feeds[CommitLayout::kLearningRate] = Tensor::scalar(step.learning_rate);
  feeds[CommitLayout::kStep] = Tensor::scalar(step.step);
  for (const IndexSpan& updates : {layout.gradients(), layout.statistics()}) {
    for (const Tensor& sum : updates.of(step.sums)) feeds.push_back(sum);
  }
  step.by_rows.append_all(feeds);
  return feeds;
}

void write_device(const DeviceParameters& device, JsonWriter& w) {
  w.begin_object().key("name").value(device.device).key("parts").value(static_cast<int64_t>(device.parts));
  w.key("bytes").value(device.bytes).key("resident_bytes").value(device.resident_bytes);
  w.key("spare_bytes").value(device.spare_bytes).end_object();
}

// Cannot be cancelled: all that it needs is there.
Status HostStore::commit(const StepCommit& step) {
  const std::vector<Tensor> feeds = commit_feeds(layout_, step);
  CommitGuard guard(working_);
  return commit(step, feeds, guard);
}

Status HostStore::commit(const StepCommit& step, const std::vector<Tensor>& feeds, CommitGuard& guard) {
  PERCALE_RETURN_IF_ERROR(session_->run(*step.plan, feeds, {},
                                        commit_options(RunValues::of_caller(working_.values()), alone_, step.trace)));
  guard.succeed();
  return {};
}

}  // namespace percale

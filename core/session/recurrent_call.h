// A plan whose runs hand state on: a fetch of one run is a feed of the next. A device with memory
// of its own keeps the state.
#ifndef PERCALE_CORE_SESSION_RECURRENT_CALL_H_
#define PERCALE_CORE_SESSION_RECURRENT_CALL_H_

#include <memory>
#include <utility>
#include <vector>

#include "core/session/session.h"

namespace percale {

// Thread-compatible.
class RecurrentCall {
 public:
  // (fetch, feed), as indices into the spec.
  using Pairs = std::vector<std::pair<size_t, size_t>>;
  // FAILED_PRECONDITION if the types of a pair differ, or are known only after a run.
  static Result<std::unique_ptr<RecurrentCall>> create(std::shared_ptr<Session> session, RunSpec spec,
                                                       const std::vector<ValueType>& feed_types, Pairs pairs);
  ~RecurrentCall();
  RecurrentCall(const RecurrentCall&) = delete;
  RecurrentCall& operator=(const RecurrentCall&) = delete;

  // Either all feeds of the pairs are undefined, and the state of the last run that succeeded is
  // used; or all are defined, and the state begins anew. The outputs of pairs that are undefined
  // are not copied to the host; other undefined outputs become new tensors. After an error the
  // state is what it was before.
  Status run(std::vector<Tensor>& feeds, std::vector<Tensor>& outputs, RunOptions options);
  // True if the state stays on devices.
  bool is_on_devices() const { return !keys_.empty(); }

 private:
  RecurrentCall(std::shared_ptr<Session> session, Pairs pairs)
      : session_(std::move(session)), pairs_(std::move(pairs)) {}
  Status keep_on_devices(RunSpec spec, const std::vector<ValueType>& feed_types);
  Status run_on_devices(const std::vector<Tensor>& feeds, std::vector<Tensor>& outputs, RunOptions options,
                        bool begins);
  Status run_on_host(std::vector<Tensor>& feeds, std::vector<Tensor>& outputs, const RunOptions& options, bool begins);

  const std::shared_ptr<Session> session_;
  const Pairs pairs_;
  std::shared_ptr<const Plan> plan_;
  bool begun_ = false;
  // State on devices, by pair; empty if the state is on the host.
  std::vector<StoreKey> keys_;
  std::vector<const Device*> devices_;
  std::vector<std::unique_ptr<const ResidentValues>> resident_;
  int64_t version_ = 0, last_version_ = 0;
  // State on the host, by pair: the feeds of the next run, and memory for its fetches.
  std::vector<Tensor> kept_, spare_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_RECURRENT_CALL_H_

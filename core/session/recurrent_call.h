// A prepared plan whose runs hand values on: what one gives as a fetch is a feed of the next. A device with memory of its own keeps them.
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
  // (fetch, feed), by their places in the spec.
  using Pairs = std::vector<std::pair<size_t, size_t>>;
  // FAILED_PRECONDITION where the types of a pair differ, or are known only when it has run.
  static Result<std::unique_ptr<RecurrentCall>> create(std::shared_ptr<Session> session, RunSpec spec,
                                                       const std::vector<ValueType>& feed_types, Pairs pairs);
  ~RecurrentCall();
  RecurrentCall(const RecurrentCall&) = delete;
  RecurrentCall& operator=(const RecurrentCall&) = delete;

  // The feeds of all pairs are not defined: they are what the last run that succeeded gave; or all are: a new beginning. An output of a pair
  // that is not defined is not brought to the host; others become new tensors. After an error the values are what they were before.
  Status run(std::vector<Tensor>& feeds, std::vector<Tensor>& outputs, RunOptions options);
  // Whether the values stay on devices.
  bool stays() const { return !keys_.empty(); }

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
  // Of values on devices, by pair; empty where they are the host's.
  std::vector<StoreKey> keys_;
  std::vector<const Device*> devices_;
  std::vector<std::unique_ptr<const ResidentValues>> held_;
  int64_t version_ = 0, last_version_ = 0;
  // Of values on the host, by pair: what the next run is fed, and memory for what it gives.
  std::vector<Tensor> kept_, spare_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_RECURRENT_CALL_H_

// A time in which the devices of a trainer are there to compute.
#ifndef PERCALE_CORE_TRAIN_TRAINER_PERIOD_H_
#define PERCALE_CORE_TRAIN_TRAINER_PERIOD_H_

#include <cstdint>

#include "core/train/trainer.h"

namespace percale {

class Trainer::Period {
 public:
  explicit Period(Trainer& trainer) : trainer_(trainer), busy_(trainer.engine_->threads()), begin_(now_ns()) {}
  ~Period();
  Period(const Period&) = delete;
  Period& operator=(const Period&) = delete;

 private:
  Trainer& trainer_;
  const ThreadPool::Busy busy_;
  const int64_t begin_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_PERIOD_H_

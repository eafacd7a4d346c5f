// The struct behind percale_cancellation.
#ifndef PERCALE_C_API_CANCELLATION_H_
#define PERCALE_C_API_CANCELLATION_H_

#include <memory>

#include "c_api/api.h"
#include "core/session/context/cancel.h"

struct percale_cancellation : percale::c_api::Counted {
  // Trainers share it.
  const std::shared_ptr<percale::CancelToken> token = std::make_shared<percale::CancelToken>();
};

#endif  // PERCALE_C_API_CANCELLATION_H_

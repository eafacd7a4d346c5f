#include "c_api/cancellation.h"

using namespace percale;
using namespace percale::c_api;

percale_status* percale_cancellation_create(percale_cancellation** out_cancellation) {
  clear(out_cancellation);
  return guarded(__func__, {NEEDS(out_cancellation)}, [&]() -> Status {
    *out_cancellation = new percale_cancellation();
    return {};
  });
}

void percale_cancellation_cancel(percale_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->token->cancel();
}

int32_t percale_cancellation_poll(const percale_cancellation* cancellation) {
  return cancellation != nullptr && cancellation->token->cancelled() ? 1 : 0;
}

percale_cancellation* percale_cancellation_retain(percale_cancellation* cancellation) { return retain(cancellation); }

void percale_cancellation_release(percale_cancellation* cancellation) { release(cancellation); }

// The collective that a host supplies, as the trainer sees it.
#ifndef PERCALE_C_API_TRAIN_COLLECTIVE_H_
#define PERCALE_C_API_TRAIN_COLLECTIVE_H_

#include <memory>

#include "c_api/include/percale.h"
#include "core/train/group/collective.h"

namespace percale::c_api {

// INVALID_ARGUMENT for a table that lacks something. What fails leaves `user` to the caller.
Result<std::shared_ptr<Collective>> host_collective(const char* function, const percale_collective& table);
// `destroy` is called with the table's user when the collective ends. Precondition: made by
// host_collective().
void own_user(Collective& collective, percale_destroy destroy);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_TRAIN_COLLECTIVE_H_

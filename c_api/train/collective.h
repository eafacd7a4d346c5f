// The collective that a host or a plug-in supplies, as the trainer sees it.
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

// Joins the group of the cluster's ranks over the transport of a plug-in of the engine.
Result<std::shared_ptr<Collective>> join_cluster(const char* function, const percale_engine& engine,
                                                 const percale_cluster& cluster, int64_t timeout_ns);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_TRAIN_COLLECTIVE_H_

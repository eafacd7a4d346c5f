/**
 * @file percale/collective.h
 * Training in a group of processes.
 */
#ifndef PERCALE_COLLECTIVE_H_
#define PERCALE_COLLECTIVE_H_

#include "cluster.h"
#include "engine.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup collective Groups of processes
 * Trainers in several processes, on one machine or many, train one job together. The library
 * itself opens no connection: the host supplies an exchange of bytes between the processes, by its
 * sockets, MPI or a cluster's own means, or a plug-in does (percale_trainer_join_cluster()). No
 * arithmetic is left to it, so that any number of processes computes the bits of one. Every process
 * can read all rows of the data, unless the option "collective_data" is "parts": then the data sets
 * of each process are its own part.
 *
 * @code
 * // In each of `size` processes, which have made the same trainer from the same SPEC:
 * percale_collective table = {sizeof table, &connections, rank, size, 1, exchange, NULL};
 * status = percale_trainer_join(trainer, &table, NULL);
 * if (status == NULL) status = percale_trainer_fit(trainer, NULL, 0, NULL, NULL);
 * if (status == NULL) status = percale_trainer_save(trainer, "checkpoints");  // rank 0 writes
 * @endcode
 * @{
 */

/** Memory of a message. \since 0.1 */
typedef struct percale_bytes {
  void* data;  /**< may be NULL if `size` is 0 */
  size_t size; /**< in bytes */
} percale_bytes;

/** Sends sends[r] to rank r and fills recvs[r] with what rank r sends, for all `size` ranks of the
 * group; the entries of the own rank are empty. All ranks call it in the same order and with the
 * same tag, and both sides know every size in advance: a message of another size, or with another
 * tag, is an error of the supplier, which it must return. The memory belongs to the library; what
 * is sent stays unchanged, and is not read after the return.
 *
 * Tags grow on every rank. With `lost` in the table, a message with a smaller tag than that of the
 * call is of an exchange that has failed: drop it. One with a larger tag says that the other rank
 * has given this exchange up: return UNAVAILABLE, and keep the message for the call with its tag.
 *
 * The library calls it from one thread at a time, which need not be the one that trains. It may
 * block. `timeout_ns` is the time after which it must give up with UNAVAILABLE; < 0: none. Returns
 * NULL, or a status that the library releases (percale_status_create()). It must not call
 * functions of the same trainer. \since 0.1 */
typedef percale_status* (*percale_exchange_function)(void* user, uint64_t tag, const percale_bytes* sends,
                                                     percale_bytes* recvs, int64_t timeout_ns);

/** Tells which ranks are lost, after an exchange that failed. On entry `*inout_count` is the room
 * in `out_ranks`; on return it is the number of all that were lost so far, which are in ascending
 * order. The others go on without them.
 *
 * An answer with no rank beyond those of the last call says that all go on. If the exchange has
 * failed with UNAVAILABLE, the library repeats the step; the connections must work again when the
 * function returns. All ranks that are left must get such an answer equally often. If they cannot
 * go on, return an error, which ends the call.
 *
 * If eight repeats in a row have not completed a step, the library calls it once more, without an
 * exchange in between: tell a rank that is given up, or the call ends with the error of the
 * exchange. \since 0.1 */
typedef percale_status* (*percale_lost_function)(void* user, int32_t* out_ranks, size_t* inout_count);

/** The table that a host supplies so that a trainer can join a group. \since 0.1 */
typedef struct percale_collective {
  uint32_t struct_size; /**< sizeof(percale_collective), which the host sets */
  void* user;           /**< passed to the functions */
  int32_t rank;         /**< number of this process, from 0 */
  int32_t size;         /**< number of processes, 1 at least */
  /** A number that is the same on all ranks, and grows when the group is formed anew. The supplier
   * refuses messages of older generations. */
  uint64_t generation;
  percale_exchange_function exchange; /**< required */
  percale_lost_function lost;         /**< may be NULL */
} percale_collective;

/** Makes the trainer a member of a group, for the rest of its life. All ranks call it with the same
 * job, first values of variables and completed steps; what they call from then on is the same on
 * all of them, too: fit, step with the whole batch, evaluate, save, restore. With the option
 * "collective_data" as "parts", the data sets of each rank, and the batches of its steps, are its
 * own part of the data; columns are the same on all ranks.
 *
 * The shards of a batch are divided among the ranks, each of which computes its own on its
 * devices. Each rank commits a part of the parameters, and holds the optimizer's state for that
 * part alone. percale_trainer_save() collects the state and writes it on rank 0; any number of
 * ranks can resume from it.
 *
 * With `lost` in the table, training goes on without ranks that are lost, repeats steps whose
 * exchange has failed although no rank is lost, and gives the same bits.
 * Two ranks then hold each part of the optimizer's state (option "collective_redundancy"); if both
 * are lost, DATA_LOSS: resume from a checkpoint.
 *
 * The library copies the table; it calls `destroy` with `user` when the trainer is gone, not on
 * failure. `destroy` may be NULL. The option "collective_timeout" limits each exchange.
 *
 * FAILED_PRECONDITION names an option that a group cannot have (mode other than sync, parameters
 * other than host), or the first setting in which a rank differs from rank 0. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_join(percale_trainer* trainer,
                                                                   const percale_collective* collective,
                                                                   percale_destroy destroy);

/** Makes the trainer a member of the group of the cluster's processes that train: the chief and the
 * workers (percale_cluster_get_rank()). A plug-in connects them: libpercale_remote.so by gRPC.
 * Returns when all of them have called it. All else is as with percale_trainer_join(); training
 * goes on without a worker that is lost. When the trainer is gone, the process leaves the group.
 *
 * Addresses beyond this machine need certificates, see percale_cluster_set_certificates(). The
 * address of rank 0 must be known; the others are then optional. `timeout_ns` < 0: waits without
 * limit. UNIMPLEMENTED: no plug-in brings a transport. UNAVAILABLE, DEADLINE_EXCEEDED: the group
 * was not complete in time; the message names the rank or address. FAILED_PRECONDITION: another
 * version or numerics fingerprint, or no certificates. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_join_cluster(percale_trainer* trainer,
                                                                           const percale_cluster* cluster,
                                                                           int64_t timeout_ns);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_COLLECTIVE_H_ */

/**
 * @file percale/cluster.h
 * Clusters: processes on several machines.
 */
#ifndef PERCALE_CLUSTER_H_
#define PERCALE_CLUSTER_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup cluster Clusters
 * The description of the processes that work together, see percale_trainer_join_cluster().
 *
 * @code
 * percale_cluster* cluster = NULL;
 * int64_t task = 0;
 * status = percale_cluster_from_environment(&cluster);
 * if (status == NULL) printf("%s %d\n", percale_cluster_get_role(cluster, &task), (int)task);
 * @endcode
 * @{
 */

/** Creates a cluster without tasks. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_create(percale_cluster** out_cluster);

/** Reads the JSON of TF_CONFIG, `size` bytes or PERCALE_NUL_ENDED. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_from_json(const char* json, size_t size,
                                                                        percale_cluster** out_cluster);

/** Reads the variables that the launcher of the process has set. The first of these that is set
 * tells the launcher: TF_CONFIG, RANK (torchrun), PET_NNODES or PET_NODE_RANK (torchrun's options,
 * which Kubeflow sets), DMLC_ROLE (ps-lite), OMPI_COMM_WORLD_RANK (Open MPI), PMI_RANK (MPICH),
 * PMIX_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX (Kubernetes). MASTER_ADDR and MASTER_PORT, or
 * PET_MASTER_ADDR and PET_MASTER_PORT, are the address of rank 0. PERCALE_TASKS is the number of
 * processes where the launcher gives none, and PERCALE_CERTIFICATES the folder of
 * percale_cluster_set_certificates(). The page "Clusters" of the reference has the further
 * variables of each launcher. NOT_FOUND: no launcher's variable is set. INVALID_ARGUMENT: a
 * variable, which the message names, is wrong or missing. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_from_environment(percale_cluster** out_cluster);

/** Adds a task of a job, from 0 on, and its address, "host:port" or "unix:path".
 * ALREADY_EXISTS: the task was added before. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_add_task(percale_cluster* cluster, const char* job,
                                                                       int64_t task, const char* address);

/** Sets the task that this process is, whether it was added or not. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_set_role(percale_cluster* cluster, const char* job,
                                                                       int64_t task);

/** Returns the number of jobs; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_cluster_job_count(const percale_cluster* cluster);

/** Returns the name of a job, in the order of addition; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_cluster_get_job(const percale_cluster* cluster, size_t index);

/** Returns one more than the highest number of a task; 0 for an unknown job. \since 0.1 */
PERCALE_API int64_t percale_cluster_task_count(const percale_cluster* cluster, const char* job);

/** Returns the address of a task, as it was added; "" if the source does not give it; NULL for an
 * unknown task. Borrowed. \since 0.1 */
PERCALE_API const char* percale_cluster_get_address(const percale_cluster* cluster, const char* job, int64_t task);

/** Returns the job of this process, "" if it was not set, and its task. Borrowed. `out_task` may be
 * NULL. \since 0.1 */
PERCALE_API const char* percale_cluster_get_role(const percale_cluster* cluster, int64_t* out_task);

/** Returns the number of this process among those that train together, and in `*out_size` how many
 * they are: the chief, if there is a job "chief" or "master", then the workers in order. -1 for a
 * process that does not train, such as "ps" or "evaluator", and for NULL. `out_size` may be NULL.
 * \since 0.1 */
PERCALE_API int64_t percale_cluster_get_rank(const percale_cluster* cluster, int64_t* out_size);

/** Sets the folder of certificates by which the processes recognise each other, the same on all
 * machines: ca.pem, node.pem and node.key, as `percale-worker --make-certificates` makes them. ""
 * means none: then only processes of one machine may form a group. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_set_certificates(percale_cluster* cluster,
                                                                               const char* folder);

/** Releases the cluster. NULL is allowed. \since 0.1 */
PERCALE_API void percale_cluster_release(percale_cluster* cluster);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_CLUSTER_H_ */

// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_cluster, as the header has them.
 */
public final class RawCluster {
  private RawCluster() {}

  static {
    Raw.bind(RawCluster.class);
  }

  /**
   * Creates a cluster without tasks.
   *
   * @param out_cluster out percale_cluster**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_cluster_create(long out_cluster);

  /**
   * Reads the JSON of TF_CONFIG, {@code size} bytes or PERCALE_NUL_ENDED.
   *
   * @param json text const char*
   * @param size in size_t
   * @param out_cluster out percale_cluster**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_cluster_from_json(long json, long size, long out_cluster);

  /**
   * Reads the variables that the launcher of the process has set. The first of these that is set
   * tells the launcher: TF_CONFIG, RANK (torchrun), PET_NNODES or PET_NODE_RANK (torchrun's
   * options, which Kubeflow sets), DMLC_ROLE (ps-lite), OMPI_COMM_WORLD_RANK (Open MPI), PMI_RANK
   * (MPICH), PMIX_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX (Kubernetes). MASTER_ADDR and
   * MASTER_PORT, or PET_MASTER_ADDR and PET_MASTER_PORT, are the address of rank 0. PERCALE_TASKS
   * is the number of processes where the launcher gives none, and PERCALE_CERTIFICATES the folder
   * of percale_cluster_set_certificates(). The page "Clusters" of the reference has the further
   * variables of each launcher. NOT_FOUND: no launcher's variable is set. INVALID_ARGUMENT: a
   * variable, which the message names, is wrong or missing.
   *
   * @param out_cluster out percale_cluster**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_cluster_from_environment(long out_cluster);

  /**
   * Adds a task of a job, from 0 on, and its address, "host:port" or "unix:path". ALREADY_EXISTS:
   * the task was added before.
   *
   * @param cluster in percale_cluster*
   * @param job text const char*
   * @param task in int64_t
   * @param address text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_cluster_add_task(long cluster, long job, long task, long address);

  /**
   * Sets the task that this process is, whether it was added or not.
   *
   * @param cluster in percale_cluster*
   * @param job text const char*
   * @param task in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_cluster_set_role(long cluster, long job, long task);

  /**
   * Returns the number of jobs; 0 for NULL.
   *
   * @param cluster in const percale_cluster*
   * @return size_t
   */
  public static native long percale_cluster_job_count(long cluster);

  /**
   * Returns the name of a job, in the order of addition; NULL past the end. Borrowed.
   *
   * @param cluster in const percale_cluster*
   * @param index in size_t
   * @return const char*
   */
  public static native long percale_cluster_get_job(long cluster, long index);

  /**
   * Returns one more than the highest number of a task; 0 for an unknown job.
   *
   * @param cluster in const percale_cluster*
   * @param job text const char*
   * @return int64_t
   */
  public static native long percale_cluster_task_count(long cluster, long job);

  /**
   * Returns the address of a task, as it was added; "" if the source does not give it; NULL for an
   * unknown task. Borrowed.
   *
   * @param cluster in const percale_cluster*
   * @param job text const char*
   * @param task in int64_t
   * @return const char*
   */
  public static native long percale_cluster_get_address(long cluster, long job, long task);

  /**
   * Returns the job of this process, "" if it was not set, and its task. Borrowed. {@code out_task}
   * may be NULL.
   *
   * @param cluster in const percale_cluster*
   * @param out_task out int64_t*
   * @return const char*
   */
  public static native long percale_cluster_get_role(long cluster, long out_task);

  /**
   * Returns the number of this process among those that train together, and in {@code *out_size}
   * how many they are: the chief, if there is a job "chief" or "master", then the workers in order.
   * -1 for a process that does not train, such as "ps" or "evaluator", and for NULL. {@code
   * out_size} may be NULL.
   *
   * @param cluster in const percale_cluster*
   * @param out_size out int64_t*
   * @return int64_t
   */
  public static native long percale_cluster_get_rank(long cluster, long out_size);

  /**
   * Sets the folder of certificates by which the processes recognise each other, the same on all
   * machines: ca.pem, node.pem and node.key, as {@code percale-worker --make-certificates} makes
   * them. "" means none: then only processes of one machine may form a group.
   *
   * @param cluster in percale_cluster*
   * @param folder text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_cluster_set_certificates(long cluster, long folder);

  /**
   * Releases the cluster. NULL is allowed.
   *
   * @param cluster in percale_cluster*
   */
  public static native void percale_cluster_release(long cluster);
}

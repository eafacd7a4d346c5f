// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_cluster, as the header has them.
 */
public final class RawCluster {
  private RawCluster() {}

  private static final MethodHandle PERCALE_CLUSTER_CREATE_ =
      Raw.function("percale_cluster_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Creates a cluster without tasks.
   *
   * @param out_cluster out percale_cluster**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_cluster_create(MemorySegment out_cluster) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_CREATE_.invokeExact(out_cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_FROM_JSON_ =
      Raw.function("percale_cluster_from_json",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Reads the JSON of TF_CONFIG, {@code size} bytes or PERCALE_NUL_ENDED.
   *
   * @param json text const char*
   * @param size in size_t
   * @param out_cluster out percale_cluster**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_cluster_from_json(MemorySegment json, long size, MemorySegment out_cluster) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_FROM_JSON_.invokeExact(json, size, out_cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_FROM_ENVIRONMENT_ =
      Raw.function("percale_cluster_from_environment",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

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
  public static MemorySegment percale_cluster_from_environment(MemorySegment out_cluster) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_FROM_ENVIRONMENT_.invokeExact(out_cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_ADD_TASK_ =
      Raw.function("percale_cluster_add_task",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

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
  public static MemorySegment percale_cluster_add_task(MemorySegment cluster, MemorySegment job, long task, MemorySegment address) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_ADD_TASK_.invokeExact(cluster, job, task, address);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_SET_ROLE_ =
      Raw.function("percale_cluster_set_role",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Sets the task that this process is, whether it was added or not.
   *
   * @param cluster in percale_cluster*
   * @param job text const char*
   * @param task in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_cluster_set_role(MemorySegment cluster, MemorySegment job, long task) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_SET_ROLE_.invokeExact(cluster, job, task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_JOB_COUNT_ =
      Raw.getter("percale_cluster_job_count",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Returns the number of jobs; 0 for NULL.
   *
   * @param cluster in const percale_cluster*
   * @return size_t
   */
  public static long percale_cluster_job_count(MemorySegment cluster) {
    try {
      return (long) PERCALE_CLUSTER_JOB_COUNT_.invokeExact(cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_JOB_ =
      Raw.getter("percale_cluster_get_job",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Returns the name of a job, in the order of addition; NULL past the end. Borrowed.
   *
   * @param cluster in const percale_cluster*
   * @param index in size_t
   * @return const char*
   */
  public static MemorySegment percale_cluster_get_job(MemorySegment cluster, long index) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_GET_JOB_.invokeExact(cluster, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_TASK_COUNT_ =
      Raw.getter("percale_cluster_task_count",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS));

  /**
   * Returns one more than the highest number of a task; 0 for an unknown job.
   *
   * @param cluster in const percale_cluster*
   * @param job text const char*
   * @return int64_t
   */
  public static long percale_cluster_task_count(MemorySegment cluster, MemorySegment job) {
    try {
      return (long) PERCALE_CLUSTER_TASK_COUNT_.invokeExact(cluster, job);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_ADDRESS_ =
      Raw.getter("percale_cluster_get_address",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Returns the address of a task, as it was added; "" if the source does not give it; NULL for an
   * unknown task. Borrowed.
   *
   * @param cluster in const percale_cluster*
   * @param job text const char*
   * @param task in int64_t
   * @return const char*
   */
  public static MemorySegment percale_cluster_get_address(MemorySegment cluster, MemorySegment job, long task) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_GET_ADDRESS_.invokeExact(cluster, job, task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_ROLE_ =
      Raw.getter("percale_cluster_get_role",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Returns the job of this process, "" if it was not set, and its task. Borrowed. {@code out_task}
   * may be NULL.
   *
   * @param cluster in const percale_cluster*
   * @param out_task out int64_t*
   * @return const char*
   */
  public static MemorySegment percale_cluster_get_role(MemorySegment cluster, MemorySegment out_task) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_GET_ROLE_.invokeExact(cluster, out_task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_RANK_ =
      Raw.getter("percale_cluster_get_rank",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS));

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
  public static long percale_cluster_get_rank(MemorySegment cluster, MemorySegment out_size) {
    try {
      return (long) PERCALE_CLUSTER_GET_RANK_.invokeExact(cluster, out_size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_SET_CERTIFICATES_ =
      Raw.function("percale_cluster_set_certificates",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Sets the folder of certificates by which the processes recognise each other, the same on all
   * machines: ca.pem, node.pem and node.key, as {@code percale-worker --make-certificates} makes
   * them. "" means none: then only processes of one machine may form a group.
   *
   * @param cluster in percale_cluster*
   * @param folder text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_cluster_set_certificates(MemorySegment cluster, MemorySegment folder) {
    try {
      return (MemorySegment) PERCALE_CLUSTER_SET_CERTIFICATES_.invokeExact(cluster, folder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_RELEASE_ =
      Raw.function("percale_cluster_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases the cluster. NULL is allowed.
   *
   * @param cluster in percale_cluster*
   */
  public static void percale_cluster_release(MemorySegment cluster) {
    try {
      PERCALE_CLUSTER_RELEASE_.invokeExact(cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}

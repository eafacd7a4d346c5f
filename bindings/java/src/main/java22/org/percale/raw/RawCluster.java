// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawCluster through java.lang.foreign, for Java 22 and newer.
 */
public final class RawCluster {
  private RawCluster() {}

  private static final MethodHandle PERCALE_CLUSTER_CREATE_ =
      Raw.function("percale_cluster_create", long.class, long.class);

  public static long percale_cluster_create(long out_cluster) {
    try {
      return (long) PERCALE_CLUSTER_CREATE_.invokeExact(out_cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_FROM_JSON_ =
      Raw.function("percale_cluster_from_json", long.class, long.class, long.class, long.class);

  public static long percale_cluster_from_json(long json, long size, long out_cluster) {
    try {
      return (long) PERCALE_CLUSTER_FROM_JSON_.invokeExact(json, size, out_cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_FROM_ENVIRONMENT_ =
      Raw.function("percale_cluster_from_environment", long.class, long.class);

  public static long percale_cluster_from_environment(long out_cluster) {
    try {
      return (long) PERCALE_CLUSTER_FROM_ENVIRONMENT_.invokeExact(out_cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_ADD_TASK_ =
      Raw.function("percale_cluster_add_task", long.class, long.class, long.class, long.class, long.class);

  public static long percale_cluster_add_task(long cluster, long job, long task, long address) {
    try {
      return (long) PERCALE_CLUSTER_ADD_TASK_.invokeExact(cluster, job, task, address);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_SET_ROLE_ =
      Raw.function("percale_cluster_set_role", long.class, long.class, long.class, long.class);

  public static long percale_cluster_set_role(long cluster, long job, long task) {
    try {
      return (long) PERCALE_CLUSTER_SET_ROLE_.invokeExact(cluster, job, task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_JOB_COUNT_ =
      Raw.getter("percale_cluster_job_count", long.class, long.class);

  public static long percale_cluster_job_count(long cluster) {
    try {
      return (long) PERCALE_CLUSTER_JOB_COUNT_.invokeExact(cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_JOB_ =
      Raw.getter("percale_cluster_get_job", long.class, long.class, long.class);

  public static long percale_cluster_get_job(long cluster, long index) {
    try {
      return (long) PERCALE_CLUSTER_GET_JOB_.invokeExact(cluster, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_TASK_COUNT_ =
      Raw.getter("percale_cluster_task_count", long.class, long.class, long.class);

  public static long percale_cluster_task_count(long cluster, long job) {
    try {
      return (long) PERCALE_CLUSTER_TASK_COUNT_.invokeExact(cluster, job);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_ADDRESS_ =
      Raw.getter("percale_cluster_get_address", long.class, long.class, long.class, long.class);

  public static long percale_cluster_get_address(long cluster, long job, long task) {
    try {
      return (long) PERCALE_CLUSTER_GET_ADDRESS_.invokeExact(cluster, job, task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_ROLE_ =
      Raw.getter("percale_cluster_get_role", long.class, long.class, long.class);

  public static long percale_cluster_get_role(long cluster, long out_task) {
    try {
      return (long) PERCALE_CLUSTER_GET_ROLE_.invokeExact(cluster, out_task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_GET_RANK_ =
      Raw.getter("percale_cluster_get_rank", long.class, long.class, long.class);

  public static long percale_cluster_get_rank(long cluster, long out_size) {
    try {
      return (long) PERCALE_CLUSTER_GET_RANK_.invokeExact(cluster, out_size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_SET_CERTIFICATES_ =
      Raw.function("percale_cluster_set_certificates", long.class, long.class, long.class);

  public static long percale_cluster_set_certificates(long cluster, long folder) {
    try {
      return (long) PERCALE_CLUSTER_SET_CERTIFICATES_.invokeExact(cluster, folder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CLUSTER_RELEASE_ =
      Raw.function("percale_cluster_release", void.class, long.class);

  public static void percale_cluster_release(long cluster) {
    try {
      PERCALE_CLUSTER_RELEASE_.invokeExact(cluster);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}

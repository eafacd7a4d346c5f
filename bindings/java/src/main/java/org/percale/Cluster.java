package org.percale;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.percale.raw.RawCluster;
import org.percale.raw.RawMemory;

/**
 * Describes a cluster: its jobs, tasks and addresses, and the role of this process. Only one thread
 * at a time may use it.
 */
public final class Cluster extends NativeHandle {
  private Cluster(long pointer) {
    super(State.exclusive("cluster", pointer, RawCluster::percale_cluster_release));
  }

  /** A task of a job. */
  public static final class Role {
    private final String job;
    private final long task;

    /**
     * Names a task.
     *
     * @param job the name of the job; "" if no role is set
     * @param task the number of the task
     */
    public Role(String job, long task) {
      this.job = job;
      this.task = task;
    }

    /**
     * Returns the name of the job.
     *
     * @return the name; "" if no role is set
     */
    public String job() {
      return job;
    }

    /**
     * Returns the number of the task.
     *
     * @return the number
     */
    public long task() {
      return task;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Role && job.equals(((Role) other).job) && task == ((Role) other).task;
    }

    @Override
    public int hashCode() {
      return job.hashCode() ^ Long.hashCode(task);
    }

    @Override
    public String toString() {
      return job + ":" + task;
    }
  }

  /**
   * Creates an empty cluster.
   *
   * @return the cluster
   */
  public static Cluster create() {
    return new Cluster(Native.make(RawCluster::percale_cluster_create));
  }

  /**
   * Creates a cluster from the JSON of TF_CONFIG.
   *
   * @param json the JSON
   * @return the cluster
   */
  public static Cluster fromJson(String json) {
    try (Scratch scratch = new Scratch()) {
      byte[] text = json.getBytes(StandardCharsets.UTF_8);
      long bytes = scratch.bytes(text);
      return new Cluster(
          Native.make(out -> RawCluster.percale_cluster_from_json(bytes, text.length, out)));
    }
  }

  /**
   * Creates a cluster from the variables that a launcher has set: TF_CONFIG, or those of torchrun,
   * Kubeflow, ps-lite, MPI, Slurm or Kubernetes, in this order.
   *
   * @return the cluster
   */
  public static Cluster fromEnvironment() {
    return new Cluster(Native.make(RawCluster::percale_cluster_from_environment));
  }

  /**
   * Adds a task.
   *
   * @param job the name of its job
   * @param task its number
   * @param address "host:port" or "unix:path"
   */
  public void addTask(String job, long task, String address) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(job);
      long where = scratch.text(address);
      check(raw -> RawCluster.percale_cluster_add_task(raw, name, task, where));
    }
  }

  /**
   * Sets the task that this process is.
   *
   * @param role the task
   */
  public void setRole(Role role) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(role.job());
      check(raw -> RawCluster.percale_cluster_set_role(raw, name, role.task()));
    }
  }

  /**
   * Returns the names of the jobs.
   *
   * @return the names
   */
  public List<String> jobs() {
    return with(raw -> {
      List<String> out = new ArrayList<>();
      long count = RawCluster.percale_cluster_job_count(raw);
      for (long i = 0; i < count; ++i) out.add(Native.borrowed(RawCluster.percale_cluster_get_job(raw, i)));
      return List.copyOf(out);
    });
  }

  /**
   * Returns the highest task number of a job plus one.
   *
   * @param job the name of the job
   * @return the number; 0 for an unknown job
   */
  public long taskCount(String job) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(job);
      return with(raw -> RawCluster.percale_cluster_task_count(raw, name));
    }
  }

  /**
   * Returns the address of a task.
   *
   * @param job the name of its job
   * @param task its number
   * @return the address as it was added; "" if the source does not give it; null if there is no
   *     such task
   */
  public String address(String job, long task) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(job);
      return with(raw -> Native.borrowed(RawCluster.percale_cluster_get_address(raw, name, task)));
    }
  }

  /**
   * Returns the task that this process is.
   *
   * @return the role
   */
  public Role role() {
    try (Scratch scratch = new Scratch()) {
      long task = scratch.allocate(8);
      return with(raw ->
          new Role(Native.borrowed(RawCluster.percale_cluster_get_role(raw, task)), RawMemory.getLong(task)));
    }
  }

  /**
   * Returns the number of this process among those that train together: the chief, then the workers
   * in order.
   *
   * @return the number, from 0; -1 for a process that does not train, such as "ps" or "evaluator"
   */
  public int rank() {
    return with(raw -> (int) RawCluster.percale_cluster_get_rank(raw, 0));
  }

  /**
   * Returns the number of processes that train together.
   *
   * @return the number
   */
  public int size() {
    try (Scratch scratch = new Scratch()) {
      long size = scratch.allocate(8);
      return with(raw -> {
        RawCluster.percale_cluster_get_rank(raw, size);
        return (int) RawMemory.getLong(size);
      });
    }
  }

  /**
   * Sets the certificates by which the processes recognise each other.
   *
   * @param folder the folder with ca.pem, node.pem and node.key, as {@code percale-worker
   *     --make-certificates} makes them; null means none: then only processes of one machine may
   *     form a group
   */
  public void setCertificates(Path folder) {
    try (Scratch scratch = new Scratch()) {
      long path = scratch.text(folder == null ? "" : folder.toString());
      check(raw -> RawCluster.percale_cluster_set_certificates(raw, path));
    }
  }
}

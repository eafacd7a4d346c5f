package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.percale.raw.RawCluster;

/** The description of a cluster: jobs, tasks, addresses, the own role. One thread at a time may use it. */
public final class Cluster extends NativeHandle {
  private Cluster(MemorySegment pointer) {
    super(State.exclusive("cluster", pointer, RawCluster::percale_cluster_release));
  }

  /**
   * The task that a process is.
   *
   * @param job the job; "" when none was given
   * @param task the number of the task
   */
  public record Role(String job, long task) {}

  /**
   * An empty cluster.
   *
   * @return the cluster
   */
  public static Cluster create() {
    return new Cluster(Native.make(RawCluster::percale_cluster_create));
  }

  /**
   * A cluster from the JSON of TF_CONFIG.
   *
   * @param json the JSON
   * @return the cluster
   */
  public static Cluster fromJson(String json) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(json);
      return new Cluster(
          Native.make(out -> RawCluster.percale_cluster_from_json(text, text.byteSize() - 1, out)));
    }
  }

  /**
   * A cluster from the process's environment: TF_CONFIG, SLURM_*, RANK and WORLD_SIZE, OMPI_*.
   *
   * @return the cluster
   */
  public static Cluster fromEnvironment() {
    return new Cluster(Native.make(RawCluster::percale_cluster_from_environment));
  }

  /**
   * Adds a task.
   *
   * @param job its job
   * @param task its number
   * @param address "host:port"
   */
  public void addTask(String job, long task, String address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, job);
      MemorySegment where = Native.name(arena, address);
      check(raw -> RawCluster.percale_cluster_add_task(raw, name, task, where));
    }
  }

  /**
   * Says which task this process is.
   *
   * @param role the task
   */
  public void setRole(Role role) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, role.job());
      check(raw -> RawCluster.percale_cluster_set_role(raw, name, role.task()));
    }
  }

  /**
   * The jobs.
   *
   * @return their names
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
   * How many numbers of tasks a job has.
   *
   * @param job the job
   * @return one more than the highest; 0 for an unknown job
   */
  public long taskCount(String job) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, job);
      return with(raw -> RawCluster.percale_cluster_task_count(raw, name));
    }
  }

  /**
   * Where a task is.
   *
   * @param job its job
   * @param task its number
   * @return "host:port", "" where the source does not tell it, null when there is no such task
   */
  public String address(String job, long task) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, job);
      return with(raw -> Native.borrowed(RawCluster.percale_cluster_get_address(raw, name, task)));
    }
  }

  /**
   * Which task this process is.
   *
   * @return the role
   */
  public Role role() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment task = arena.allocate(JAVA_LONG);
      return with(raw ->
          new Role(Native.borrowed(RawCluster.percale_cluster_get_role(raw, task)), task.get(JAVA_LONG, 0)));
    }
  }
}

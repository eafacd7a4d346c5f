package org.percale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.percale.Graphs.digest;
import static org.percale.Graphs.twoShards;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Clusters, and trainers that join the group of one. The processes are threads of this one. */
class ClustersTest extends LeavesNoStatus {
  private static final String THREE = "\"worker\": [\"b:2\", \"c:3\"], \"chief\": [\"a:1\"], \"evaluator\": [\"d:4\"]";

  /** Returns a cluster with these tasks in which this process has the role. */
  private static Cluster cluster(String tasks, String job, long task) {
    Cluster out = Cluster.fromJson("{\"cluster\": {" + tasks + "}}");
    out.setRole(new Cluster.Role(job, task));
    return out;
  }

  /** Returns the tasks of a chief and a worker at free ports of this machine. */
  private static String twoTasks() throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket chief = new ServerSocket(0, 1, here); ServerSocket worker = new ServerSocket(0, 1, here)) {
      return "\"chief\": [\"127.0.0.1:" + chief.getLocalPort() + "\"], \"worker\": [\"127.0.0.1:" + worker.getLocalPort() + "\"]";
    }
  }

  private static void hasRank(int rank, String job, long task) {
    try (Cluster cluster = cluster(THREE, job, task)) {
      assertEquals(rank, cluster.rank());
      assertEquals(3, cluster.size());
    }
  }

  @Test
  void ranksAreThoseOfTheChiefAndTheWorkers() {
    hasRank(0, "chief", 0);
    hasRank(1, "worker", 0);
    hasRank(2, "worker", 1);
    hasRank(-1, "evaluator", 0);
  }

  @Test
  void certificatesAreAFolderOrNone() {
    try (Cluster cluster = Cluster.create()) {
      cluster.setCertificates(Path.of("certificates"));
      cluster.setCertificates(null);
    }
  }

  @Test
  void aProcessThatDoesNotTrainCannotJoin() {
    try (Trainer trainer = twoShards(engine); Cluster cluster = cluster(THREE, "evaluator", 0)) {
      PercaleException error =
          assertThrows(PercaleException.class, () -> trainer.joinCluster(cluster, Duration.ofSeconds(1)));
      assertEquals(Code.FAILED_PRECONDITION, error.code());
      assertTrue(error.getMessage().contains("its job is 'evaluator'"), error.getMessage());
      assertEquals("cluster", assertThrows(NullPointerException.class, () -> trainer.joinCluster(null, null)).getMessage());
    }
  }

  /** Returns the digest, or null if no plug-in connects processes. */
  private static String train(Cluster cluster) {
    try (Engine own = Graphs.engine(); Trainer trainer = twoShards(own); Dataset data = Graphs.lineData(own)) {
      trainer.joinCluster(cluster, Duration.ofMinutes(1));
      trainer.fit(data, 3);
      return digest(trainer);
    } catch (PercaleException error) {
      if (error.code() == Code.UNIMPLEMENTED) return null;
      throw error;
    }
  }

  @Test
  void aChiefAndAWorkerComputeTheBitsOfOneTrainer() throws Exception {
    String tasks = twoTasks();
    List<String> digests = new ArrayList<>();
    try (Threads threads = new Threads()) {
      List<Future<String>> processes = new ArrayList<>();
      for (String job : List.of("chief", "worker")) {
        processes.add(threads.submit(() -> {
          try (Cluster cluster = cluster(tasks, job, 0)) {
            return train(cluster);
          }
        }));
      }
      for (Future<String> process : processes) digests.add(process.get());
    }
    assumeFalse(digests.contains(null), "no plug-in connects processes");
    try (Trainer alone = twoShards(engine); Dataset data = Graphs.lineData(engine)) {
      alone.fit(data, 3);
      assertEquals(List.of(digest(alone), digest(alone)), digests);
    }
  }
}

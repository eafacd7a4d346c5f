package org.percale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.percale.Graphs.digest;
import static org.percale.Graphs.twoShards;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trainers of a group: the ranks are threads of this process, which exchange bytes by queues. */
class GroupsTest extends LeavesNoStatus {
  private record Message(long tag, byte[] bytes) {}

  private static final Message LAST = new Message(-1, new byte[0]);

  /** One of two ranks. */
  private static final class Pair implements Collective {
    private final int rank;
    private final List<BlockingQueue<Message>> queues;
    Throwable fails; // thrown in place of an exchange
    boolean reports;
    private boolean alone;

    Pair(int rank, List<BlockingQueue<Message>> queues) {
      this.rank = rank;
      this.queues = queues;
    }

    @Override
    public int rank() {
      return rank;
    }

    @Override
    public int size() {
      return 2;
    }

    @Override
    public long generation() {
      return 1;
    }

    @Override
    public boolean reportsLosses() {
      return reports;
    }

    @Override
    public int[] lost() {
      return alone ? new int[] {1 - rank} : new int[0];
    }

    /** From now on the other rank is alone. */
    void leave() {
      queues.get(1 - rank).add(LAST);
      fails = new IllegalStateException("this rank has left");
    }

    @Override
    public void exchange(long tag, ByteBuffer[] sends, ByteBuffer[] receives, Duration timeout) throws Exception {
      if (fails instanceof Exception) throw (Exception) fails;
      if (fails instanceof Error) throw (Error) fails;
      int other = 1 - rank;
      assertEquals(Duration.ofSeconds(30), timeout);
      assertTrue(sends[other].isReadOnly() && !sends[rank].hasRemaining() && !receives[rank].hasRemaining());
      byte[] bytes = new byte[sends[other].remaining()];
      sends[other].get(bytes);
      queues.get(other).add(new Message(tag, bytes));
      Message message = queues.get(rank).poll(timeout.toSeconds(), TimeUnit.SECONDS);
      if (message == null) throw new TimeoutException("the other rank is late");
      alone = message == LAST;
      if (alone) throw new IOException("the other rank is gone");
      assertEquals(tag, message.tag());
      assertEquals(receives[other].remaining(), message.bytes().length);
      // Another thread may use the memory, too.
      Thread copier = new Thread(() -> receives[other].put(message.bytes()));
      copier.start();
      copier.join();
    }
  }

  /** A group that no trainer can join. */
  private record OfSize(int rank, int size) implements Collective {
    @Override
    public long generation() {
      return 1;
    }

    @Override
    public void exchange(long tag, ByteBuffer[] sends, ByteBuffer[] receives, Duration timeout) {
      throw new AssertionError("an exchange");
    }
  }

  private interface Work<T> {
    T as(Pair pair) throws Exception;
  }

  /** Calls the work on a thread per rank. Returns the results of the ranks, in their order. */
  private static <T> List<T> asTwoRanks(Work<T> work) throws Exception {
    List<BlockingQueue<Message>> queues = List.of(new LinkedBlockingQueue<>(), new LinkedBlockingQueue<>());
    try (Threads threads = new Threads()) {
      List<Future<T>> ranks = new ArrayList<>();
      for (int rank = 0; rank < 2; ++rank) {
        Pair pair = new Pair(rank, queues);
        ranks.add(threads.submit(() -> work.as(pair)));
      }
      return List.of(ranks.get(0).get(), ranks.get(1).get());
    }
  }

  @Test
  void twoRanksComputeTheBitsOfOneTrainerAndSaveOneCheckpoint(@TempDir Path folder) throws Exception {
    List<String> digests = asTwoRanks(pair -> {
      try (Engine own = Graphs.engine(); Trainer trainer = twoShards(own); Dataset data = Graphs.lineData(own)) {
        trainer.join(pair);
        trainer.fit(data, 3);
        trainer.save(folder);
        return digest(trainer);
      }
    });
    try (Trainer alone = twoShards(engine); Trainer resumed = twoShards(engine); Dataset data = Graphs.lineData(engine)) {
      alone.fit(data, 3);
      assertEquals(List.of(digest(alone), digest(alone)), digests);
      resumed.restore(folder);
      assertEquals(digest(alone), digest(resumed));
    }
  }

  /** Makes the exchanges of a fit fail. Returns the error of rank 0, whose cause is the failure. */
  private static PercaleException fitError(Throwable failure) throws Exception {
    return asTwoRanks(pair -> {
      try (Engine own = Graphs.engine(); Trainer trainer = twoShards(own); Dataset data = Graphs.lineData(own)) {
        trainer.join(pair);
        pair.fails = failure;
        PercaleException error = assertThrows(PercaleException.class, () -> trainer.fit(data, 1));
        boolean interrupted = Thread.interrupted();
        assertEquals(failure instanceof InterruptedException, interrupted);
        assertSame(failure, error.getCause());
        assertTrue(interrupted || error.getMessage().contains("the cable is cut"), error.getMessage());
        PercaleException later = assertThrows(PercaleException.class, () -> trainer.fit(data, 1));
        assertEquals(error.code(), later.code());
        assertTrue(later.getMessage().contains("the group has ended"), later.getMessage());
        assertEquals(0, trainer.steps());
        return error;
      }
    }).get(0);
  }

  @Test
  void theExceptionOfAnExchangeIsTheCauseOfTheErrorOfFit() throws Exception {
    Map<Throwable, Code> codes = new LinkedHashMap<>();
    codes.put(new PercaleException(Code.DATA_LOSS, "the cable is cut"), Code.DATA_LOSS);
    codes.put(new IOException("the cable is cut"), Code.UNAVAILABLE);
    codes.put(new TimeoutException("the cable is cut"), Code.UNAVAILABLE);
    codes.put(new InterruptedException("the cable is cut"), Code.CANCELLED);
    codes.put(new IllegalStateException("the cable is cut"), Code.ABORTED);
    codes.put(new AssertionError("the cable is cut"), Code.ABORTED);
    for (Map.Entry<Throwable, Code> entry : codes.entrySet()) assertEquals(entry.getValue(), fitError(entry.getKey()).code());
  }

  @Test
  void trainingGoesOnWithoutALostRankAndGivesTheSameBits() throws Exception {
    List<String> results = asTwoRanks(pair -> {
      try (Engine own = Graphs.engine(); Trainer trainer = twoShards(own); Dataset data = Graphs.lineData(own)) {
        pair.reports = true;
        trainer.join(pair);
        trainer.fit(data, 3, progress -> {
          if (pair.rank() == 1 && progress.step() == 2) pair.leave();
          return true;
        });
        return digest(trainer);
      } catch (PercaleException error) {
        return error.getCause().getMessage();
      }
    });
    try (Trainer alone = twoShards(engine); Dataset data = Graphs.lineData(engine)) {
      alone.fit(data, 3);
      assertEquals(List.of(digest(alone), "this rank has left"), results);
    }
  }

  @Test
  void theExceptionOfAnExchangeIsTheCauseOfTheErrorOfJoin() {
    try (Trainer trainer = twoShards(engine); Dataset data = Graphs.lineData(engine)) {
      Pair pair = new Pair(0, List.of());
      pair.fails = new IOException("the cable is cut");
      PercaleException error = assertThrows(PercaleException.class, () -> trainer.join(pair));
      assertSame(pair.fails, error.getCause());
      trainer.fit(data, 1); // alone
      assertEquals(4, trainer.steps());
    }
  }

  @Test
  void aCollectiveIsReleasedWithItsTrainer() throws Exception {
    List<Trainer> trainers = asTwoRanks(pair -> {
      Trainer trainer = twoShards(engine);
      trainer.join(pair);
      return trainer;
    });
    int known = Callbacks.count();
    trainers.forEach(Trainer::close);
    assertTrue(Callbacks.count() <= known - 2);
  }

  @Test
  void aGroupOfNoRanksARankOutsideOfTheGroupAndNoGroupAreRefused() {
    try (Trainer trainer = twoShards(engine)) {
      Map<OfSize, String> groups = Map.of(new OfSize(0, 0), "the group has 0 ranks", new OfSize(2, 2), "the rank is 2");
      groups.forEach((group, why) -> {
        PercaleException error = assertThrows(PercaleException.class, () -> trainer.join(group));
        assertEquals(Code.INVALID_ARGUMENT, error.code());
        assertTrue(error.getMessage().contains(why), error.getMessage());
      });
      assertEquals("collective", assertThrows(NullPointerException.class, () -> trainer.join(null)).getMessage());
    }
  }
}

package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Several threads use one object, and an interrupt hits a call. Neither ends the virtual machine,
 * and no error is lost.
 */
class ThreadsTest extends LeavesNoStatus {
  /** Calls work(number) in this many threads and returns the exceptions. */
  private static List<Throwable> inThreads(int count, Consumer<Integer> work) {
    ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; ++i) {
      int number = i;
      threads.add(Threads.platform(() -> {
        try {
          work.accept(number);
        } catch (Throwable error) {
          thrown.add(error);
        }
      }));
    }
    threads.forEach(ThreadsTest::join);
    return List.copyOf(thrown);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException error) {
      throw new AssertionError(error);
    }
  }

  /**
   * Closes the object that `make` returns while three threads use it. The only error they may see
   * is that it is closed.
   */
  private static <T extends AutoCloseable> void endsWhileUsed(Supplier<T> make, Consumer<T> use) {
    for (int round = 0; round < 20; ++round) {
      T thing = make.get();
      CyclicBarrier begun = new CyclicBarrier(4);
      List<Throwable> thrown = inThreads(4, number -> {
        try {
          begun.await();
          if (number == 0) Thread.sleep(1);
          if (number == 0) thing.close();
        } catch (Exception error) {
          throw new AssertionError(error);
        }
        for (int i = 0; i < 100 && number > 0; ++i) use.accept(thing);
      });
      for (Throwable error : thrown) {
        assertTrue(error instanceof IllegalStateException && error.getMessage().endsWith(" is closed"), error.toString());
      }
    }
  }

  private Tensor rows() {
    return Tensor.of(engine, new float[400], 100, 4);
  }

  @Test
  void aSessionIsClosedWhileThreadsRunIt() {
    try (Tensor x = rows()) {
      endsWhileUsed(() -> Graphs.session(engine), session -> session.run(Map.of("x", x), "y").close());
    }
  }

  @Test
  void aTensorIsClosedWhileThreadsFeedIt() {
    try (Session session = Graphs.session(engine)) {
      endsWhileUsed(this::rows, x -> session.run(Map.of("x", x), "y").close());
      endsWhileUsed(this::rows, x -> session.request().feed("x", x).fetch("y").runAsync().join().close());
    }
  }

  @Test
  void aGraphIsClosedWhileThreadsReadIt() {
    endsWhileUsed(() -> Graphs.product(engine), graph -> assertEquals(List.of("x"), graph.inputNames()));
    endsWhileUsed(() -> Graphs.product(engine), graph -> assertTrue(graph.serialize(null).length > 0));
  }

  @Test
  void aFutureIsCancelledAndItsSessionClosedWhileItRuns() {
    try (Graph graph = Graphs.longRun(engine); Tensor x = Tensor.zeros(engine, DType.F32, 64, 64)) {
      for (int i = 0; i < 20; ++i) {
        Session session = Session.create(engine, graph, null);
        CompletableFuture<Results> future = session.request().feed("x", x).fetch("y").runAsync();
        inThreads(3, number -> {
          if (number == 0) session.close();
          else future.cancel(true);
        });
        assertTrue(future.isCancelled() || future.isCompletedExceptionally());
      }
    }
  }

  @Test
  void aCallInFourThreadsAnswersOneOfThemAndRefusesTheOthers() {
    try (Graph graph = Graphs.longRun(engine); Session session = Session.create(engine, graph, null);
        PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 16, 16)), "y")) {
      List<Throwable> thrown = inThreads(4, number -> {
        for (int i = 0; i < 50; ++i) call.run();
      });
      assertFalse(thrown.isEmpty());
      for (Throwable error : thrown) {
        assertEquals("the call is used by another thread: only one thread may use it at a time", error.getMessage());
      }
      call.run();
      assertArrayEquals(new float[256], call.output(0).toFloatArray());
    }
  }

  private static boolean inUse(IllegalStateException error) {
    return error.getMessage().startsWith("the call is used by another thread");
  }

  @Test
  void aCallIsClosedWhileAThreadRunsIt() {
    try (Graph graph = Graphs.longRun(engine); Session session = Session.create(engine, graph, null)) {
      for (int round = 0; round < 5; ++round) {
        PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 64, 64)), "y");
        List<Throwable> thrown = inThreads(2, number -> {
          // Thread 0 closes the call once it refuses another thread, so that a run is in progress.
          for (;;) {
            try {
              if (number == 1) call.run();
              else call.variablesVersion();
            } catch (IllegalStateException error) {
              if (!inUse(error)) throw error;
              if (number == 1) continue;
              call.close();
              return;
            }
          }
        });
        assertEquals(List.of("the call is closed"), thrown.stream().map(Throwable::getMessage).toList());
        assertArrayEquals(new float[4096], call.output(0).toFloatArray());
        assertThrows(IllegalStateException.class, call::variablesVersion);
        call.close();
      }
    }
  }

  @Test
  void aSecondFitOfATrainerIsRefusedAndTheFirstGoesOn() {
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine);
        Dataset other = Graphs.lineData(engine)) {
      List<Throwable> refused = new ArrayList<>();
      trainer.fit(data, 2, progress -> {
        if (progress.step() == 2) {
          refused.addAll(inThreads(1, number -> trainer.fit(other, 1)));
          refused.addAll(inThreads(1, number -> trainer.describe()));
          assertTrue(trainer.describe().contains("\"shards\"")); // the thread of the fit may use it
        }
        return true;
      });
      assertEquals(8, trainer.steps());
      assertEquals(List.of("the trainer is used by another thread: only one thread may use it at a time",
          "the trainer is used by another thread: only one thread may use it at a time"), refused.stream().map(Throwable::getMessage).toList());
    }
  }

  @Test
  void aTrainerIsClosedByItsOwnListenerAndByAnotherThread() {
    for (boolean here : new boolean[] {true, false}) {
      Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build();
      int[] steps = {0};
      try (Dataset data = Graphs.lineData(engine)) {
        trainer.fit(data, 2, progress -> {
          if (++steps[0] == 3 && here) trainer.close();
          if (steps[0] == 3) inThreads(1, number -> trainer.close());
          return true;
        });
      }
      assertEquals(8, steps[0]);
      assertEquals("the trainer is closed", assertThrows(IllegalStateException.class, trainer::steps).getMessage());
    }
  }

  /** Interrupts a thread that is in `call`, which must end with CANCELLED. */
  private static void endsWhenInterrupted(CountDownLatch begun, Runnable call) {
    boolean[] stays = {false};
    Throwable[] thrown = {null};
    Thread thread = Threads.platform(() -> {
      try {
        call.run();
      } catch (Throwable error) {
        thrown[0] = error;
      }
      stays[0] = Thread.currentThread().isInterrupted();
    });
    try {
      begun.await();
      Thread.sleep(30);
    } catch (InterruptedException error) {
      throw new AssertionError(error);
    }
    thread.interrupt();
    join(thread);
    assertTrue(thrown[0] instanceof PercaleException, String.valueOf(thrown[0]));
    assertEquals(Code.CANCELLED, ((PercaleException) thrown[0]).code(), thrown[0].getMessage());
    assertEquals("the thread was interrupted", thrown[0].getMessage());
    assertTrue(stays[0]);
  }

  @Test
  void anInterruptEndsAFitAndTheTrainerGoesOn() {
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine)) {
      CountDownLatch begun = new CountDownLatch(1);
      endsWhenInterrupted(begun, () -> trainer.fit(data, 1_000_000_000, progress -> {
        begun.countDown();
        return true;
      }));
      long steps = trainer.steps();
      trainer.fit(data, steps / 4 + 1);
      assertTrue(trainer.steps() > steps);
    }
  }

  @Test
  void anInterruptEndsAnEvaluation() {
    CountDownLatch begun = new CountDownLatch(1);
    List<TensorSpec> columns = List.of(new TensorSpec("x", DType.F32, 2), new TensorSpec("y", DType.F32, 1));
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build();
        Dataset endless = Dataset.generator(engine, columns, 1L << 40, (number, row) -> begun.countDown()).batch(4)) {
      endsWhenInterrupted(begun, () -> trainer.evaluate(endless));
    }
  }

  @Test
  void anInterruptEndsTheWaitForARun() {
    CountDownLatch now = new CountDownLatch(0);
    try (Graph graph = Graphs.longRun(engine); Session session = Session.create(engine, graph, null);
        Tensor x = Tensor.zeros(engine, DType.F32, 400, 400);
        PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 400, 400)), "y")) {
      endsWhenInterrupted(now, () -> session.request().feed("x", x).fetch("y").cancelToken(new CancelToken()).run().close());
      endsWhenInterrupted(now, () -> call.run(null, null));
      Thread.currentThread().interrupt(); // an earlier interrupt counts too
      PercaleException error = assertThrows(PercaleException.class, () -> call.run(null, null));
      assertTrue(Thread.interrupted());
      assertEquals("the thread was interrupted", error.getMessage());
    }
  }
}

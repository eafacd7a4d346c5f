package org.percale;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs tasks, each on a thread of its own: a virtual one where Java has them. */
final class Threads implements AutoCloseable {
  private final ExecutorService threads = executor();

  private static ExecutorService executor() {
    try {
      return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException older) {
      return Executors.newCachedThreadPool();
    } catch (ReflectiveOperationException error) {
      throw new AssertionError(error);
    }
  }

  /** A task without a result. */
  interface Task {
    void run() throws Exception;
  }

  <T> Future<T> submit(Callable<T> task) {
    return threads.submit(task);
  }

  Future<?> start(Task task) {
    return threads.submit(() -> {
      task.run();
      return null;
    });
  }

  /** Starts a thread that is no virtual one. */
  static Thread platform(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}

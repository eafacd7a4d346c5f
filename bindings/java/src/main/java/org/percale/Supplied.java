package org.percale;

import java.io.FileNotFoundException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.percale.raw.RawMemory;
import org.percale.raw.RawOptions;
import org.percale.raw.RawReader;
import org.percale.raw.RawTask;
import org.percale.raw.RawThreadPool;

/** The executor and the files that a program supplies to an engine, as the library calls them. */
final class Supplied {
  private Supplied() {}

  /** A task of the library, which the library has back if the executor refuses it. */
  private static final class Task implements Runnable {
    private final long task;
    private final AtomicBoolean begun = new AtomicBoolean();

    Task(long task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (!refuse()) return;
      RawTask.percale_task_run(task);
      RawTask.percale_task_release(task);
    }

    /** Returns false if it has begun. */
    boolean refuse() {
      return !begun.getAndSet(true);
    }
  }

  /** An executor. */
  static final class Pool implements Callbacks.Execute {
    private final Executor executor;
    private final Failures failures = new Failures();

    Pool(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
    }

    @Override
    public long execute(long pointer) {
      Task task = new Task(pointer);
      try {
        executor.execute(task);
        return 0;
      } catch (Throwable error) {
        return task.refuse() ? failures.status(error) : 0;
      }
    }
  }

  /** The files of a reader. */
  static final class Files implements Callbacks.Files {
    private static final long PIECE = 1 << 30; // buffers of Java are small

    private final FileReader reader;
    private final Failures failures = new Failures();

    Files(FileReader reader) {
      this.reader = Objects.requireNonNull(reader, "files");
    }

    @Override
    public long size(long name, long size) {
      try {
        RawMemory.putLong(size, reader.size(RawMemory.text(name)));
        return 0;
      } catch (Throwable error) {
        return failures.status(withCode(error));
      }
    }

    @Override
    public long read(long name, long offset, long buffer, long size) {
      try {
        String file = RawMemory.text(name);
        for (long done = 0; done < size; done += PIECE) {
          try (Loan loan = new Loan(true)) {
            ByteBuffer bytes = loan.lend(buffer + done, (int) Math.min(PIECE, size - done), true);
            reader.read(file, offset + done, bytes);
            if (bytes.hasRemaining()) {
              throw new PercaleException(Code.DATA_LOSS,
                  "the reader has left " + bytes.remaining() + " bytes at " + (offset + done) + " unread");
            }
          }
        }
        return 0;
      } catch (Throwable error) {
        return failures.status(withCode(error));
      }
    }

    private static Throwable withCode(Throwable error) {
      if (error instanceof NoSuchFileException || error instanceof FileNotFoundException) {
        return new PercaleException(Code.NOT_FOUND, error.toString());
      }
      return error instanceof AccessDeniedException
          ? new PercaleException(Code.PERMISSION_DENIED, error.toString()) : error;
    }
  }

  /** Gives the executor (may be null) to options of an engine. */
  static void set(long options, Pool pool) {
    if (pool == null) return;
    give(pool, (scratch, user) -> {
      long table = scratch.allocate(RawThreadPool.SIZE);
      RawThreadPool.struct_size(table, RawThreadPool.SIZE);
      RawThreadPool.user(table, user);
      RawThreadPool.execute(table, Callbacks.EXECUTE);
      return RawOptions.percale_options_set_thread_pool(options, table, Callbacks.DESTROY);
    });
  }

  /** Gives the files (may be null) to options of an engine. */
  static void set(long options, Files files) {
    if (files == null) return;
    give(files, (scratch, user) -> {
      long table = scratch.allocate(RawReader.SIZE);
      RawReader.struct_size(table, RawReader.SIZE);
      RawReader.user(table, user);
      RawReader.size(table, Callbacks.FILE_SIZE);
      RawReader.read(table, Callbacks.FILE_READ);
      return RawOptions.percale_options_set_reader(options, table, Callbacks.DESTROY);
    });
  }

  private interface Give {
    long give(Scratch scratch, long user);
  }

  /** Registers a receiver until the library calls its destroy function; not if that fails. */
  private static void give(Object receiver, Give call) {
    long user = Callbacks.add(receiver);
    try (Scratch scratch = new Scratch()) {
      Native.check(call.give(scratch, user));
    } catch (RuntimeException error) {
      Callbacks.remove(user);
      throw error;
    }
  }

  /** A call that borrows the remaining bytes of a direct buffer, and what it returns. */
  static long lend(ByteBuffer buffer, String name, Lending call) {
    if (!buffer.isDirect()) throw new PercaleException(Code.INVALID_ARGUMENT, name + ": wanted a direct buffer");
    long user = Callbacks.add(buffer);
    try {
      return call.lend(RawMemory.address(buffer, 1), buffer.remaining(), user);
    } catch (RuntimeException error) {
      Callbacks.remove(user);
      throw error;
    }
  }

  /** A call of the library that keeps memory until it calls the deleter with the user. */
  interface Lending {
    long lend(long address, long bytes, long user);
  }
}

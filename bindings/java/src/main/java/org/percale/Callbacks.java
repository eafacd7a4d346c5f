package org.percale;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.percale.raw.RawCallbacks;
import org.percale.raw.RawConstants;
import org.percale.raw.RawMemory;
import org.percale.raw.RawStatus;

/**
 * The callbacks that the library invokes, one address per kind for the whole process. The user
 * pointer is an id of the receiver. No method of this class lets an exception escape, because no
 * caller could handle it.
 */
final class Callbacks implements RawCallbacks.Receiver {
  interface Log {
    void write(int level, String message);
  }

  interface Row {
    boolean make(long row, long columns);
  }

  /** Returns a status, which the library releases; NULL means success. */
  interface Stream {
    long read(long epoch, long firstRow, long maxRows, long columns, long outRows);
  }

  interface Step {
    boolean goesOn(long progress);
  }

  /** Returns statuses, which the library releases; NULL means success. */
  interface Exchange {
    long exchange(long tag, long sends, long receives, long timeout);

    long lost(long ranks, long count);
  }

  /** Returns a status, which the library releases; NULL means success. */
  interface Execute {
    long execute(long task);
  }

  /** Returns statuses, which the library releases; NULL means success. */
  interface Files {
    long size(long name, long size);

    long read(long name, long offset, long buffer, long size);
  }

  private static final ConcurrentHashMap<Long, Object> RECEIVERS = new ConcurrentHashMap<>();
  private static final AtomicLong NEXT = new AtomicLong(1);

  static {
    RawCallbacks.setReceiver(new Callbacks());
  }

  static final long LOG = RawCallbacks.PERCALE_LOG_FUNCTION;
  static final long DELETER = RawCallbacks.PERCALE_DELETER;
  static final long DESTROY = RawCallbacks.PERCALE_DESTROY;
  static final long READY = RawCallbacks.PERCALE_EVENT_CALLBACK;
  static final long ROW = RawCallbacks.PERCALE_ROW_CALLBACK;
  static final long STREAM = RawCallbacks.PERCALE_STREAM_CALLBACK;
  static final long PROGRESS = RawCallbacks.PERCALE_PROGRESS_CALLBACK;
  static final long EXCHANGE = RawCallbacks.PERCALE_EXCHANGE_FUNCTION;
  static final long LOST = RawCallbacks.PERCALE_LOST_FUNCTION;
  static final long EXECUTE = RawCallbacks.PERCALE_EXECUTE_FUNCTION;
  static final long FILE_SIZE = RawCallbacks.PERCALE_FILE_SIZE_FUNCTION;
  static final long FILE_READ = RawCallbacks.PERCALE_FILE_READ_FUNCTION;

  private Callbacks() {}

  /** Returns a user pointer that identifies the receiver until {@link #remove}. */
  static long add(Object receiver) {
    long number = NEXT.getAndIncrement();
    RECEIVERS.put(number, receiver);
    return number;
  }

  /** Returns the number of receivers that the library may call. */
  static int count() {
    return RECEIVERS.size();
  }

  static Object remove(long user) {
    return RECEIVERS.remove(user);
  }

  private static <T> T receiver(long user, Class<T> type) {
    return type.cast(RECEIVERS.get(user));
  }

  @Override
  public void percale_log_function(long user, int level, long message, long size) {
    try {
      byte[] text = new byte[(int) size];
      RawMemory.read(message, text, size);
      receiver(user, Log.class).write(level, new String(text, StandardCharsets.UTF_8));
    } catch (Throwable ignored) {
      // A log function has no caller that could handle the exception.
    }
  }

  @Override
  public void percale_deleter(long user, long data) {
    percale_destroy(user);
  }

  @Override
  public void percale_destroy(long user) {
    try {
      remove(user);
    } catch (Throwable ignored) {
      // Retaining the receiver too long is better than ending the virtual machine.
    }
  }

  @Override
  public void percale_event_callback(long user) {
    try {
      ((Runnable) remove(user)).run();
    } catch (Throwable ignored) {
      // The receiver has already completed its future.
    }
  }

  @Override
  public int percale_row_callback(long user, long row, long columns) {
    try {
      return receiver(user, Row.class).make(row, columns) ? 0 : 1;
    } catch (Throwable error) {
      return 1;
    }
  }

  @Override
  public int percale_progress_callback(long user, long progress) {
    try {
      return receiver(user, Step.class).goesOn(progress) ? 0 : 1;
    } catch (Throwable error) {
      return 1;
    }
  }

  /** Returns a status without words, for a failure that leaves no memory for them. */
  private static long aborted() {
    return RawStatus.percale_status_create(RawConstants.PERCALE_ABORTED, 0, 0);
  }

  @Override
  public long percale_stream_callback(long user, long epoch, long firstRow, long maxRows, long columns, long outRows) {
    try {
      return receiver(user, Stream.class).read(epoch, firstRow, maxRows, columns, outRows);
    } catch (Throwable error) {
      return aborted();
    }
  }

  @Override
  public long percale_exchange_function(long user, long tag, long sends, long receives, long timeout) {
    try {
      return receiver(user, Exchange.class).exchange(tag, sends, receives, timeout);
    } catch (Throwable error) {
      return aborted();
    }
  }

  @Override
  public long percale_lost_function(long user, long ranks, long count) {
    try {
      return receiver(user, Exchange.class).lost(ranks, count);
    } catch (Throwable error) {
      return aborted();
    }
  }

  @Override
  public long percale_execute_function(long user, long task) {
    try {
      return receiver(user, Execute.class).execute(task);
    } catch (Throwable error) {
      return aborted();
    }
  }

  @Override
  public long percale_file_size_function(long user, long name, long outSize) {
    try {
      return receiver(user, Files.class).size(name, outSize);
    } catch (Throwable error) {
      return aborted();
    }
  }

  @Override
  public long percale_file_read_function(long user, long name, long offset, long buffer, long size) {
    try {
      return receiver(user, Files.class).read(name, offset, buffer, size);
    } catch (Throwable error) {
      return aborted();
    }
  }
}

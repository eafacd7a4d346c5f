package org.percale;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.percale.raw.RawCallbacks;
import org.percale.raw.RawConstants;
import org.percale.raw.RawStatus;

/**
 * The callbacks that the library invokes, one upcall stub per kind for the whole process. The user
 * pointer is an id of the receiver. No method of this class lets an exception escape, because that
 * would end the virtual machine.
 */
final class Callbacks {
  interface Log {
    void write(int level, String message);
  }

  interface Row {
    boolean make(long row, MemorySegment columns);
  }

  /** Returns a status, which the library releases; NULL means success. */
  interface Stream {
    MemorySegment read(long epoch, long firstRow, long maxRows, MemorySegment columns, MemorySegment outRows);
  }

  interface Step {
    boolean goesOn(MemorySegment progress);
  }

  /** Returns statuses, which the library releases; NULL means success. */
  interface Exchange {
    MemorySegment exchange(long tag, MemorySegment sends, MemorySegment receives, long timeout);

    MemorySegment lost(MemorySegment ranks, MemorySegment count);
  }

  private static final ConcurrentHashMap<Long, Object> RECEIVERS = new ConcurrentHashMap<>();
  private static final AtomicLong NEXT = new AtomicLong(1);

  static final MemorySegment LOG = stub("log", RawCallbacks.percale_log_function);
  static final MemorySegment DELETER = stub("delete", RawCallbacks.percale_deleter);
  static final MemorySegment DESTROY = stub("destroy", RawCallbacks.percale_destroy);
  static final MemorySegment READY = stub("ready", RawCallbacks.percale_event_callback);
  static final MemorySegment ROW = stub("row", RawCallbacks.percale_row_callback);
  static final MemorySegment STREAM = stub("stream", RawCallbacks.percale_stream_callback);
  static final MemorySegment PROGRESS = stub("progress", RawCallbacks.percale_progress_callback);
  static final MemorySegment EXCHANGE = stub("exchange", RawCallbacks.percale_exchange_function);
  static final MemorySegment LOST = stub("lost", RawCallbacks.percale_lost_function);

  private Callbacks() {}

  /** Returns a user pointer that identifies the receiver until {@link #remove}. */
  static MemorySegment add(Object receiver) {
    long number = NEXT.getAndIncrement();
    RECEIVERS.put(number, receiver);
    return MemorySegment.ofAddress(number);
  }

  /** Returns the number of receivers that the library may call. */
  static int count() {
    return RECEIVERS.size();
  }

  static Object remove(MemorySegment user) {
    return RECEIVERS.remove(user.address());
  }

  private static MemorySegment stub(String method, FunctionDescriptor descriptor) {
    try {
      MethodType type = descriptor.toMethodType();
      return Linker.nativeLinker()
          .upcallStub(MethodHandles.lookup().findStatic(Callbacks.class, method, type), descriptor, Arena.global());
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

  private static void log(MemorySegment user, int level, MemorySegment message, long size) {
    try {
      byte[] text = message.reinterpret(size).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
      if (RECEIVERS.get(user.address()) instanceof Log log) log.write(level, new String(text, StandardCharsets.UTF_8));
    } catch (Throwable ignored) {
      // A log function has no caller that could handle the exception.
    }
  }

  private static void delete(MemorySegment user, MemorySegment data) {
    try {
      remove(user);
    } catch (Throwable ignored) {
      // Retaining the memory too long is better than ending the virtual machine.
    }
  }

  private static void destroy(MemorySegment user) {
    try {
      remove(user);
    } catch (Throwable ignored) {
      // As above.
    }
  }

  private static void ready(MemorySegment user) {
    try {
      if (remove(user) instanceof Runnable receiver) receiver.run();
    } catch (Throwable ignored) {
      // The receiver has already completed its future.
    }
  }

  private static int row(MemorySegment user, long row, MemorySegment columns) {
    try {
      return RECEIVERS.get(user.address()) instanceof Row receiver && receiver.make(row, columns) ? 0 : 1;
    } catch (Throwable error) {
      return 1;
    }
  }

  private static int progress(MemorySegment user, MemorySegment progress) {
    try {
      return RECEIVERS.get(user.address()) instanceof Step receiver && receiver.goesOn(progress) ? 0 : 1;
    } catch (Throwable error) {
      return 1;
    }
  }

  /** Returns a status without words, for a failure that leaves no memory for them. */
  private static MemorySegment aborted() {
    return RawStatus.percale_status_create(RawConstants.PERCALE_ABORTED, MemorySegment.NULL, 0);
  }

  private static MemorySegment stream(MemorySegment user, long epoch, long firstRow, long maxRows, MemorySegment columns,
      MemorySegment outRows) {
    try {
      return RECEIVERS.get(user.address()) instanceof Stream receiver
          ? receiver.read(epoch, firstRow, maxRows, columns, outRows) : aborted();
    } catch (Throwable error) {
      return aborted();
    }
  }

  private static MemorySegment exchange(MemorySegment user, long tag, MemorySegment sends, MemorySegment receives, long timeout) {
    try {
      return RECEIVERS.get(user.address()) instanceof Exchange receiver ? receiver.exchange(tag, sends, receives, timeout)
          : aborted();
    } catch (Throwable error) {
      return aborted();
    }
  }

  private static MemorySegment lost(MemorySegment user, MemorySegment ranks, MemorySegment count) {
    try {
      return RECEIVERS.get(user.address()) instanceof Exchange receiver ? receiver.lost(ranks, count) : aborted();
    } catch (Throwable error) {
      return aborted();
    }
  }
}

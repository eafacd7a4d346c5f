package org.percale;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;

/**
 * A reference to an object of the library. {@link #close} releases it, or the garbage collector
 * does once it is no longer reachable.
 */
abstract class NativeHandle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  final State state;
  private final Cleaner.Cleanable cleanable;

  NativeHandle(State state) {
    this.state = state;
    this.cleanable = CLEANER.register(this, state::close);
  }

  /**
   * Releases the reference; later uses throw an {@link IllegalStateException}. If calls are in
   * progress, it is released when they end.
   */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** Calls the library with the pointer, which stays valid until the call returns. */
  final <T> T with(LongFunction<T> call) {
    long pointer = state.acquire();
    try {
      return call.apply(pointer);
    } finally {
      state.release();
    }
  }

  /** Calls a function that can fail. */
  final void check(LongUnaryOperator call) {
    Native.check(with(call::applyAsLong));
  }

  /**
   * Calls a function that can run out of memory and then changes nothing, so it can be repeated.
   */
  final void relieve(LongUnaryOperator call) {
    Shortage.relieve(() -> {
      check(call);
      return null;
    });
  }

  /** Calls the library with the pointers of several handles. */
  static <T> T withAll(List<? extends NativeHandle> handles, Function<long[], T> call) {
    long[] pointers = new long[handles.size()];
    int acquired = 0;
    try {
      for (; acquired < pointers.length; ++acquired) pointers[acquired] = handles.get(acquired).state.acquire();
      return call.apply(pointers);
    } finally {
      for (int i = 0; i < acquired; ++i) handles.get(i).state.release();
    }
  }

  /** Calls the library with the pointer of a handle that may be null. */
  static <T> T withOptional(NativeHandle handle, LongFunction<T> call) {
    return handle == null ? call.apply(0) : handle.with(call);
  }

  /**
   * Counts the users of a pointer, so the pointer is released once, and never during a call. It has
   * no reference to the handle, or the handle would stay reachable.
   */
  static final class State {
    private static final int CLOSED = 1 << 30;
    private static final VarHandle USES;

    static {
      try {
        USES = MethodHandles.lookup().findVarHandle(State.class, "uses", int.class);
      } catch (ReflectiveOperationException error) {
        throw new ExceptionInInitializerError(error);
      }
    }

    private final String type;
    private final long pointer;
    private final LongConsumer free;
    private final boolean exclusive;
    private volatile int uses;
    private Thread owner;
    private boolean freed;

    private State(String type, long pointer, LongConsumer free, boolean exclusive) {
      this.type = type;
      this.pointer = pointer;
      this.free = free;
      this.exclusive = exclusive;
    }

    /** For types that the header calls thread-safe. */
    static State shared(String type, long pointer, LongConsumer free) {
      return new State(type, pointer, free, false);
    }

    /** For types that the header calls thread-compatible: a second thread gets an exception. */
    static State exclusive(String type, long pointer, LongConsumer free) {
      return new State(type, pointer, free, true);
    }

    long acquire() {
      int seen = uses;
      for (;;) {
        if (seen >= CLOSED) throw new IllegalStateException("the " + type + " is closed");
        if (exclusive && seen != 0 && owner != Thread.currentThread()) {
          throw new IllegalStateException("the " + type + " is used by another thread: only one thread may use it at a time");
        }
        int was = (int) USES.compareAndExchange(this, seen, seen + 1);
        if (was == seen) break;
        seen = was;
      }
      if (exclusive) owner = Thread.currentThread();
      return pointer;
    }

    void release() {
      if (exclusive && (uses & ~CLOSED) == 1) owner = null;
      if ((int) USES.getAndAdd(this, -1) - 1 == CLOSED) free();
    }

    void close() {
      if ((int) USES.getAndBitwiseOr(this, CLOSED) == 0) free();
    }

    private synchronized void free() {
      freed = true;
      free.accept(pointer);
      Shortage.freed();
    }

    /**
     * Makes a call that is allowed on any thread at any time. Does nothing if the pointer is
     * already released.
     */
    synchronized void unlessFreed(LongConsumer call) {
      if (!freed) call.accept(pointer);
    }
  }
}

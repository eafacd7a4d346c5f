package org.percale;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

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
  final <T> T with(Function<MemorySegment, T> call) {
    MemorySegment pointer = state.acquire();
    try {
      return call.apply(pointer);
    } finally {
      state.release();
    }
  }

  /** Calls a function that can fail. */
  final void check(Function<MemorySegment, MemorySegment> call) {
    Native.check(with(call));
  }

  /**
   * Calls a function that can run out of memory and then changes nothing, so it can be repeated.
   */
  final void relieve(Function<MemorySegment, MemorySegment> call) {
    Shortage.relieve(() -> {
      check(call);
      return null;
    });
  }

  /** Calls the library with the pointers of several handles. */
  static <T> T withAll(List<? extends NativeHandle> handles, Function<List<MemorySegment>, T> call) {
    List<MemorySegment> pointers = new ArrayList<>(handles.size());
    try {
      for (NativeHandle handle : handles) pointers.add(handle.state.acquire());
      return call.apply(pointers);
    } finally {
      for (int i = 0; i < pointers.size(); ++i) handles.get(i).state.release();
    }
  }

  /** Calls the library with the pointer of a handle that may be null. */
  static <T> T withOptional(NativeHandle handle, Function<MemorySegment, T> call) {
    return handle == null ? call.apply(MemorySegment.NULL) : handle.with(call);
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
    private final MemorySegment pointer;
    private final Consumer<MemorySegment> free;
    private final boolean exclusive;
    private volatile int uses;
    private Thread owner;
    private boolean freed;

    private State(String type, MemorySegment pointer, Consumer<MemorySegment> free, boolean exclusive) {
      this.type = type;
      this.pointer = pointer;
      this.free = free;
      this.exclusive = exclusive;
    }

    /** For types that the header calls thread-safe. */
    static State shared(String type, MemorySegment pointer, Consumer<MemorySegment> free) {
      return new State(type, pointer, free, false);
    }

    /** For types that the header calls thread-compatible: a second thread gets an exception. */
    static State exclusive(String type, MemorySegment pointer, Consumer<MemorySegment> free) {
      return new State(type, pointer, free, true);
    }

    MemorySegment acquire() {
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
    synchronized void unlessFreed(Consumer<MemorySegment> call) {
      if (!freed) call.accept(pointer);
    }
  }
}

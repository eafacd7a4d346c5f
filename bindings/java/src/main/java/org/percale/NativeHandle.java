package org.percale;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** One reference to something of the library: given back by {@link #close}, or when nobody can reach it any more. */
abstract class NativeHandle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  final State state;
  private final Cleaner.Cleanable cleanable;

  NativeHandle(State state) {
    this.state = state;
    this.cleanable = CLEANER.register(this, state::close);
  }

  /** Gives it back; later uses are an {@link IllegalStateException}. Calls that are under way come to their end first. */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** Calls the library with the pointer, which lives until the call returns. */
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

  /** Calls a function that can fail for want of memory, and leaves everything as it was then. */
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

  /** The pointer of a handle that may be null. */
  static <T> T withOptional(NativeHandle handle, Function<MemorySegment, T> call) {
    return handle == null ? call.apply(MemorySegment.NULL) : handle.with(call);
  }

  /** Counts who uses the pointer, so that it is given back once and never under anybody's feet. Does not know the handle. */
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

    /** For what the header calls thread-safe. */
    static State shared(String type, MemorySegment pointer, Consumer<MemorySegment> free) {
      return new State(type, pointer, free, false);
    }

    /** For what the header calls thread-compatible: a second thread is refused. */
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

    /** Calls what any thread may call at any time; does nothing when the pointer was given back. */
    synchronized void whileThere(Consumer<MemorySegment> call) {
      if (!freed) call.accept(pointer);
    }
  }
}

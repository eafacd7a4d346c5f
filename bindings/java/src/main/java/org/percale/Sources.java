package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The functions that a data set depends on. They supply the causes of its errors. */
record Sources(List<Source> all) {
  static final Sources NONE = new Sources(List.of());

  /** A function. The library releases it with the last data set that depends on it. */
  interface Source {
    /** Sets the exception of the function, if there is one, as the cause of the error. */
    void explain(PercaleException error);
  }

  /** Sets the exception of a function, if there is one, as the cause of the error. */
  PercaleException explain(PercaleException error) {
    for (Source source : all) source.explain(error);
    return error;
  }

  /** Returns the memory of some rows of each column, which ends with the arena. */
  private static MemorySegment[] memory(MemorySegment columns, long[] bytes, long rows, Arena arena) {
    MemorySegment array = columns.reinterpret(8L * bytes.length);
    MemorySegment[] out = new MemorySegment[bytes.length];
    for (int i = 0; i < out.length; ++i) {
      out[i] = array.getAtIndex(ADDRESS, i).reinterpret(bytes[i] * rows, arena, null);
    }
    return out;
  }

  /** A function of rows by number. */
  static final class Generator implements Callbacks.Row, Source {
    private final Dataset.RowFunction function;
    private final long[] bytes;
    private volatile Throwable last;

    Generator(Dataset.RowFunction function, long[] bytes) {
      this.function = function;
      this.bytes = bytes;
    }

    @Override
    public boolean make(long row, MemorySegment columns) {
      try (Arena arena = Arena.ofConfined()) {
        function.write(row, memory(columns, bytes, 1, arena));
        return true;
      } catch (Throwable error) {
        last = error;
        return false;
      }
    }

    @Override
    public void explain(PercaleException error) {
      Throwable cause = last;
      last = null;
      if (cause != null && error.getCause() == null) error.initCause(cause);
    }
  }

  /** A function of rows in a stream. */
  record Stream(Dataset.StreamFunction function, long[] bytes, Failures failures) implements Callbacks.Stream, Source {
    @Override
    public MemorySegment read(long epoch, long firstRow, long maxRows, MemorySegment columns, MemorySegment outRows) {
      // The function may use threads of its own.
      try (Arena arena = Arena.ofShared()) {
        long rows = function.read(epoch, firstRow, maxRows, memory(columns, bytes, maxRows, arena));
        outRows.reinterpret(JAVA_LONG.byteSize()).set(JAVA_LONG, 0, rows);
        return MemorySegment.NULL;
      } catch (Throwable error) {
        return failures.status(error);
      }
    }

    @Override
    public void explain(PercaleException error) {
      failures.explain(error);
    }
  }
}

package org.percale;

import java.nio.ByteBuffer;
import java.util.List;
import org.percale.raw.RawMemory;

/** The functions that a data set depends on. They supply the causes of its errors. */
final class Sources {
  static final Sources NONE = new Sources(List.of());

  private final List<Source> all;

  Sources(List<Source> all) {
    this.all = all;
  }

  List<Source> all() {
    return all;
  }

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

  /** Returns the memory of some rows of each column, which ends with the loan. */
  private static ByteBuffer[] memory(Loan loan, long columns, long[] bytes, long rows) {
    ByteBuffer[] out = new ByteBuffer[bytes.length];
    for (int i = 0; i < out.length; ++i) {
      out[i] = loan.lend(RawMemory.getLong(columns + 8L * i), Native.size(bytes[i] * rows), true);
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
    public boolean make(long row, long columns) {
      try (Loan loan = new Loan(false)) {
        function.write(row, memory(loan, columns, bytes, 1));
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
  static final class Stream implements Callbacks.Stream, Source {
    private final Dataset.StreamFunction function;
    private final long[] bytes;
    private final Failures failures = new Failures();

    Stream(Dataset.StreamFunction function, long[] bytes) {
      this.function = function;
      this.bytes = bytes;
    }

    @Override
    public long read(long epoch, long firstRow, long maxRows, long columns, long outRows) {
      // The function may use threads of its own.
      try (Loan loan = new Loan(true)) {
        long rows = function.read(epoch, firstRow, maxRows, memory(loan, columns, bytes, maxRows));
        RawMemory.putLong(outRows, rows);
        return 0;
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

package org.percale.spark;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Row;
import org.percale.Code;
import org.percale.DType;
import org.percale.PercaleException;
import org.percale.TensorSpec;
import scala.jdk.javaapi.CollectionConverters;

/** The columns of a table that a model reads, and how their values become elements of tensors. */
final class Columns implements Serializable {
  private static final long serialVersionUID = 1;

  /** A column. A row has `count` elements of it. */
  record Column(String name, DType dtype, long[] dims, int count, int bytes) implements Serializable {
    private static Column of(TensorSpec spec) {
      int count = Math.toIntExact(Arrays.stream(spec.dims()).reduce(1, Math::multiplyExact));
      return new Column(spec.name(), spec.dtype(), spec.dims(), count, Math.multiplyExact(count, width(spec)));
    }

    private static int width(TensorSpec spec) {
      return switch (spec.dtype()) {
        case F64, I64 -> 8;
        case F32, I32 -> 4;
        case I16 -> 2;
        case I8, U8, BOOL -> 1;
        default -> throw new PercaleException(Code.UNIMPLEMENTED, "the column '" + spec.name() + "' is " + spec.dtype()
            + ", wanted F32, F64, I64, I32, I16, I8, U8 or BOOL; cast it in the model");
      };
    }

    /** Returns the dims of this many rows. */
    long[] rows(long number) {
      long[] out = new long[dims.length + 1];
      out[0] = number;
      System.arraycopy(dims, 0, out, 1, dims.length);
      return out;
    }

    TensorSpec spec() {
      return new TensorSpec(name, dtype, dims);
    }

    /** Appends the elements of a row. */
    void write(Row row, ByteBuffer out) {
      int from = out.position();
      Object value = row.getAs(name);
      int found = write(value, out, from + bytes);
      if (found != count) {
        throw new PercaleException(Code.INVALID_ARGUMENT, "the column '" + name + "' has " + found
            + " numbers in the row " + row + ", wanted " + count + " as in " + spec());
      }
    }

    /** Appends a value without going beyond `end`. Returns the number of its elements. */
    private int write(Object value, ByteBuffer out, int end) {
      if (value instanceof Vector vector) {
        for (double number : vector.toArray()) put(number, out, end);
        return vector.size();
      }
      if (value instanceof scala.collection.Seq<?> list) {
        int found = 0;
        for (Object inner : CollectionConverters.asJava(list)) found += write(inner, out, end);
        return found;
      }
      if (value instanceof Boolean on) return write(on ? 1 : 0, out, end);
      if (value instanceof Number number) {
        put(number, out, end);
        return 1;
      }
      throw new PercaleException(Code.INVALID_ARGUMENT, "the column '" + name + "' has "
          + (value == null ? "null" : "a " + value.getClass().getName())
          + ", wanted numbers, Booleans, arrays or vectors of them; drop or cast such rows first");
    }

    private void put(Number number, ByteBuffer out, int end) {
      if (out.position() >= end) return;
      switch (dtype) {
        case F32 -> out.putFloat(number.floatValue());
        case F64 -> out.putDouble(number.doubleValue());
        case I64 -> out.putLong(number.longValue());
        case I32 -> out.putInt(number.intValue());
        case I16 -> out.putShort(number.shortValue());
        default -> out.put(number.byteValue());
      }
    }
  }

  private final List<Column> all;

  private Columns(List<Column> all) {
    this.all = all;
  }

  static Columns of(List<TensorSpec> specs) {
    return new Columns(specs.stream().map(Column::of).collect(Collectors.toList()));
  }

  List<Column> all() {
    return all;
  }

  /** Returns the columns with these names, in their order. */
  List<Column> named(List<String> names) {
    return names.stream().map(this::named).toList();
  }

  private Column named(String name) {
    return all.stream().filter(column -> column.name().equals(name)).findFirst()
        .orElseThrow(() -> new PercaleException(Code.NOT_FOUND,
            "the model has the input '" + name + "', and no such column is among " + names()));
  }

  List<TensorSpec> specs() {
    return all.stream().map(Column::spec).toList();
  }

  List<String> names() {
    return all.stream().map(Column::name).toList();
  }
}

package org.percale.spark;

import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.percale.Dataset;

/**
 * The rows of a task, in a temporary file per column: Spark gives them once, a training reads them
 * once per epoch.
 */
final class Part implements Dataset.StreamFunction, AutoCloseable {
  private static final int BUFFER = 1 << 20;

  private final List<Columns.Column> columns;
  private final List<FileChannel> files = new ArrayList<>();
  private long rows;

  Part(Iterator<Row> table, Columns columns) throws IOException {
    this.columns = columns.all();
    try {
      List<ByteBuffer> buffers = new ArrayList<>();
      for (Columns.Column column : this.columns) {
        Path path = Files.createTempFile("percale", ".rows");
        files.add(FileChannel.open(path, READ, WRITE, DELETE_ON_CLOSE));
        buffers.add(ByteBuffer.allocate(Math.max(BUFFER, column.bytes())).order(ByteOrder.nativeOrder()));
      }
      for (; table.hasNext(); ++rows) {
        Row row = table.next();
        for (int i = 0; i < files.size(); ++i) {
          if (buffers.get(i).remaining() < this.columns.get(i).bytes()) flush(i, buffers.get(i));
          this.columns.get(i).write(row, buffers.get(i));
        }
      }
      for (int i = 0; i < files.size(); ++i) flush(i, buffers.get(i));
    } catch (IOException | RuntimeException error) {
      close();
      throw error;
    }
  }

  private void flush(int column, ByteBuffer buffer) throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) files.get(column).write(buffer);
    buffer.clear();
  }

  @Override
  public long read(long epoch, long firstRow, long maxRows, ByteBuffer[] out) throws IOException {
    long count = Math.max(0, Math.min(maxRows, rows - firstRow));
    for (int i = 0; i < out.length; ++i) {
      long width = columns.get(i).bytes();
      out[i].limit(Math.toIntExact(count * width));
      for (long at = firstRow * width; out[i].hasRemaining();) {
        int found = files.get(i).read(out[i], at);
        if (found < 0) throw new EOFException("the file of the column '" + columns.get(i).name() + "' was cut off");
        at += found;
      }
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    for (FileChannel file : files) file.close();
  }
}

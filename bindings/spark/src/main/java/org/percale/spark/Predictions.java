package org.percale.spark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.Variables;

/** The rows of a partition with predictions, which are computed for some rows at a time. */
final class Predictions implements Iterator<Row>, AutoCloseable {
  /** The limits of the rows that are computed at a time, and of the memory for their inputs. */
  private static final int MOST_ROWS = 1024;
  private static final int MOST_BYTES = 16 << 20;

  private final Iterator<Row> rows;
  private final Engine engine;
  private final Session session;
  private final String output;
  private final List<Columns.Column> inputs;
  private final List<ByteBuffer> buffers = new ArrayList<>();
  private final int rowsAtATime;
  private Iterator<Row> ready = List.<Row>of().iterator();

  Predictions(Iterator<Row> rows, byte[] model, Columns columns) {
    this.rows = rows;
    engine = PercaleEstimator.engine();
    try (Graph graph = Graph.load(engine, model); Variables variables = Variables.create(engine, graph, 0)) {
      inputs = columns.named(graph.inputNames());
      output = graph.outputNames().get(0);
      session = Session.create(engine, graph, variables);
    } catch (RuntimeException error) {
      engine.close();
      throw error;
    }
    long bytes = Math.max(1, inputs.stream().mapToLong(Columns.Column::bytes).sum());
    rowsAtATime = (int) Math.max(1, Math.min(MOST_ROWS, MOST_BYTES / bytes));
    for (Columns.Column input : inputs) {
      int size = Math.multiplyExact(rowsAtATime, input.bytes());
      buffers.add(ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder()));
    }
  }

  @Override
  public boolean hasNext() {
    if (ready.hasNext()) return true;
    if (rows.hasNext()) {
      ready = predict();
    } else {
      close();
    }
    return ready.hasNext();
  }

  @Override
  public Row next() {
    if (!hasNext()) throw new NoSuchElementException();
    return ready.next();
  }

  /** Returns the next rows with their predictions. */
  private Iterator<Row> predict() {
    List<Row> batch = new ArrayList<>();
    buffers.forEach(ByteBuffer::clear);
    while (rows.hasNext() && batch.size() < rowsAtATime) {
      Row row = rows.next();
      for (int i = 0; i < inputs.size(); ++i) inputs.get(i).write(row, buffers.get(i));
      batch.add(row);
    }
    Map<String, Tensor> feeds = new LinkedHashMap<>();
    try {
      for (int i = 0; i < inputs.size(); ++i) {
        Columns.Column input = inputs.get(i);
        feeds.put(input.name(), Tensor.wrap(buffers.get(i).flip(), input.dtype(), input.rows(batch.size())));
      }
      try (Results results = session.run(feeds, output)) {
        return withPredictions(batch, floats(results.get(0)));
      }
    } finally {
      feeds.values().forEach(Tensor::close);
    }
  }

  private static float[] floats(Tensor tensor) {
    if (tensor.dtype() != DType.F64) return tensor.toFloatArray();
    double[] from = tensor.toDoubleArray();
    float[] out = new float[from.length];
    for (int i = 0; i < out.length; ++i) out[i] = (float) from[i];
    return out;
  }

  private static Iterator<Row> withPredictions(List<Row> batch, float[] found) {
    int width = found.length / batch.size();
    List<Row> out = new ArrayList<>();
    for (int i = 0; i < batch.size(); ++i) {
      Row row = batch.get(i);
      Object[] values = new Object[row.size() + 1];
      for (int j = 0; j < row.size(); ++j) values[j] = row.get(j);
      values[row.size()] = Arrays.copyOfRange(found, i * width, (i + 1) * width);
      out.add(RowFactory.create(values));
    }
    return out.iterator();
  }

  @Override
  public void close() {
    session.close();
    engine.close();
  }
}

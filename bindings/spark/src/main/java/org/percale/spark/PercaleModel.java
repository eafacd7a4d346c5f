package org.percale.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskCompletionListener;
import org.percale.Code;
import org.percale.PercaleException;
import org.percale.TensorSpec;

/**
 * A trained model. It adds the model's first output to a table as the column "prediction", an array
 * of floats per row.
 */
public final class PercaleModel extends Model<PercaleModel> {
  private static final long serialVersionUID = 1;
  private static final String PREDICTION = "prediction";

  private final String uid;
  private final byte[] graph;
  private final Columns columns;

  PercaleModel(byte[] graph, Columns columns) {
    this(Identifiable$.MODULE$.randomUID("percale"), graph, columns);
  }

  private PercaleModel(String uid, byte[] graph, Columns columns) {
    this.uid = uid;
    this.graph = graph;
    this.columns = columns;
  }

  /**
   * Loads a model that any binding has written.
   *
   * @param path a .percale file
   * @param columns the name, type and dims of one row of each input
   * @return the model
   * @throws IOException if the file cannot be read
   */
  public static PercaleModel loadFile(Path path, TensorSpec... columns) throws IOException {
    return new PercaleModel(Files.readAllBytes(path), Columns.of(List.of(columns)));
  }

  /**
   * Writes the model as a .percale file, which every other binding loads.
   *
   * @param path the file
   * @throws IOException if the file cannot be written
   */
  public void saveFile(Path path) throws IOException {
    Files.write(path, graph);
  }

  @Override
  public Dataset<Row> transform(Dataset<?> dataset) {
    StructType schema = transformSchema(dataset.schema());
    Broadcast<byte[]> model = JavaSparkContext.fromSparkContext(dataset.sparkSession().sparkContext()).broadcast(graph);
    Columns inputs = columns;
    MapPartitionsFunction<Row, Row> predict = rows -> {
      if (!rows.hasNext()) return Collections.emptyIterator();
      Predictions out = new Predictions(rows, model.value(), inputs);
      TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> out.close());
      return out;
    };
    return dataset.toDF().mapPartitions(predict, Encoders.row(schema));
  }

  /** Returns the schema with the column of predictions. The table must have these columns. */
  static StructType withPrediction(StructType schema, List<String> columns) {
    List<String> names = Arrays.asList(schema.fieldNames());
    for (String name : columns) {
      if (!names.contains(name)) {
        throw new PercaleException(Code.NOT_FOUND, "the table has no column '" + name + "'; it has " + names);
      }
    }
    if (names.contains(PREDICTION)) {
      throw new PercaleException(Code.ALREADY_EXISTS, "the table has a column 'prediction' already; rename or drop it");
    }
    return schema.add(PREDICTION, DataTypes.createArrayType(DataTypes.FloatType, false), false);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    // Tables to predict need no labels; the task says if an input is missing.
    return withPrediction(schema, List.of());
  }

  @Override
  public PercaleModel copy(ParamMap extra) {
    return copyValues(new PercaleModel(uid, graph, columns), extra).setParent(parent());
  }

  @Override
  public String uid() {
    return uid;
  }
}

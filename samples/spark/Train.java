import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.percale.DType;
import org.percale.Sequential;
import org.percale.TensorSpec;
import org.percale.spark.PercaleEstimator;
import org.percale.spark.PercaleModel;

/**
 * Trains on a table of Spark, and predicts with the model: {@code spark-submit --class Train ...
 * [WORKERS]}. WORKERS: at most the cluster's slots.
 */
public class Train {
  public static void main(String[] arguments) {
    int workers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2;
    SparkSession session = SparkSession.builder().getOrCreate();
    // The label tells on which side of the diagonal a point lies.
    Dataset<Row> table = session.range(2000).selectExpr("cast(array(rand(1), rand(2)) as array<float>) x")
        .selectExpr("x", "bigint(x[0] > x[1]) y");
    // --8<-- [start:fit]
    Sequential spec = Sequential.of(2).dense(16, "relu").dense(2, null).set("from_logits", true).set("seed", 1)
        .compile("adam", "sparse_categorical_crossentropy");
    TensorSpec x = new TensorSpec("x", DType.F32, 2), y = new TensorSpec("y", DType.I64);
    PercaleModel model = new PercaleEstimator(spec.spec(), x, y)
        .setWorkers(workers).setBatchSize(32).setEpochs(10).fit(table);
    Dataset<Row> found = model.transform(table);
    // --8<-- [end:fit]
    long right = found.where("(prediction[1] > prediction[0]) = (y = 1)").count();
    System.out.println("right: " + right + " of " + found.count());
  }
}

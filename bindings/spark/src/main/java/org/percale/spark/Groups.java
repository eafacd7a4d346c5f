package org.percale.spark;

import java.io.IOException;
import java.io.Serializable;
import java.security.GeneralSecurityException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.percale.Code;
import org.percale.Collective;
import org.percale.PercaleException;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Runs work in the tasks of a barrier stage. Spark starts all of them again if one fails. */
public final class Groups {
  private Groups() {}

  /**
   * Work of one task.
   *
   * @param <T> the result, which Spark serializes
   */
  @FunctionalInterface
  public interface Work<T> extends Serializable {
    /**
     * Works.
     *
     * @param group the tasks, for {@link org.percale.Trainer#join}; ends with the call
     * @return the result
     * @throws Exception makes Spark start all tasks again, four times at most by default
     */
    T in(Collective group) throws Exception;
  }

  /** Work on the rows of a partition, whose results are those of all partitions together. */
  @FunctionalInterface
  interface RowWork<A, B> extends Serializable {
    Iterator<B> in(Iterator<A> rows) throws Exception;
  }

  private record Told<T>(int rank, T result) implements Serializable {}

  /**
   * Calls the work in tasks that are a group. The cluster must have as many free slots.
   *
   * @param session the session of Spark
   * @param workers the number of tasks
   * @param work called in each of them
   * @param <T> the result of a task
   * @return the results by rank
   */
  public static <T> List<T> run(SparkSession session, int workers, Work<T> work) {
    List<Integer> numbers = IntStream.range(0, workers).boxed().toList();
    JavaRDD<Integer> input = JavaSparkContext.fromSparkContext(session.sparkContext()).parallelize(numbers, workers);
    List<Told<T>> told = collect(input.rdd(), rows -> {
      try (Group group = join()) {
        return List.of(new Told<>(group.rank(), work.in(group))).iterator();
      }
    });
    return told.stream().sorted(Comparator.comparingInt(Told::rank)).map(Told::result).toList();
  }

  /** Makes this task and the others of its stage a group. */
  static Group join() throws IOException, GeneralSecurityException {
    return new Group(BarrierTaskContext.get());
  }

  /** Returns the results of a barrier stage with a task per partition. */
  static <A, B> List<B> collect(RDD<A> input, RowWork<A, B> work) {
    Function1<scala.collection.Iterator<A>, scala.collection.Iterator<B>> task =
        (Function1<scala.collection.Iterator<A>, scala.collection.Iterator<B>> & Serializable) rows -> {
          try {
            return CollectionConverters.asScala(work.in(CollectionConverters.asJava(rows)));
          } catch (RuntimeException error) {
            throw error;
          } catch (Exception error) {
            throw (PercaleException) new PercaleException(Code.UNAVAILABLE, "a task failed: " + error).initCause(error);
          }
        };
    ClassTag<B> any = ClassTag$.MODULE$.apply(Object.class);
    RDD<B> results = input.barrier().mapPartitions(task, false, any);
    // Spark starts a barrier stage again only if its results go to another stage.
    return JavaRDD.fromRDD(results, any).coalesce(1, true).collect();
  }
}

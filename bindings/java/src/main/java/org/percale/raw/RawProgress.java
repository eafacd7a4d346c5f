// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * State of a training after a step, for the callback of percale_trainer_fit(). It grows at its end:
 * read no further than {@code struct_size}.
 */
public final class RawProgress {
  private RawProgress() {}

  /**
   * The fields as this version of the header has them; the library's may have more.
   */
  public static final StructLayout LAYOUT = MemoryLayout.structLayout(
      JAVA_INT.withName("struct_size"),
      MemoryLayout.paddingLayout(4),
      JAVA_LONG.withName("epoch"),
      JAVA_LONG.withName("epochs"),
      JAVA_LONG.withName("step"),
      JAVA_LONG.withName("steps"),
      JAVA_LONG.withName("step_in_epoch"),
      JAVA_LONG.withName("steps_in_epoch"),
      JAVA_DOUBLE.withName("loss"),
      JAVA_DOUBLE.withName("learning_rate"),
      JAVA_DOUBLE.withName("rows_per_second"),
      JAVA_DOUBLE.withName("seconds"),
      JAVA_DOUBLE.withName("eta_seconds"),
      JAVA_INT.withName("epoch_ended"),
      MemoryLayout.paddingLayout(4),
      JAVA_LONG.withName("metric_count"),
      ADDRESS.withName("metric_names"),
      ADDRESS.withName("metric_values"),
      JAVA_DOUBLE.withName("epoch_loss"));

  /**
   * The field struct_size: in bytes, as the library has it.
   *
   * @param struct a struct of the library
   * @return uint32_t
   */
  public static int struct_size(MemorySegment struct) {
    return struct.get(JAVA_INT, 0);
  }

  /**
   * The field epoch: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long epoch(MemorySegment struct) {
    return struct.get(JAVA_LONG, 8);
  }

  /**
   * The field epochs: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long epochs(MemorySegment struct) {
    return struct.get(JAVA_LONG, 16);
  }

  /**
   * The field step: of the whole run, from 1; 0 steps: unknown.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long step(MemorySegment struct) {
    return struct.get(JAVA_LONG, 24);
  }

  /**
   * The field steps: of the whole run, from 1; 0 steps: unknown.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long steps(MemorySegment struct) {
    return struct.get(JAVA_LONG, 32);
  }

  /**
   * The field step_in_epoch: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long step_in_epoch(MemorySegment struct) {
    return struct.get(JAVA_LONG, 40);
  }

  /**
   * The field steps_in_epoch: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long steps_in_epoch(MemorySegment struct) {
    return struct.get(JAVA_LONG, 48);
  }

  /**
   * The field loss: of this step.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double loss(MemorySegment struct) {
    return struct.get(JAVA_DOUBLE, 56);
  }

  /**
   * The field learning_rate: of this step.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double learning_rate(MemorySegment struct) {
    return struct.get(JAVA_DOUBLE, 64);
  }

  /**
   * The field rows_per_second: speed, time so far, time left.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double rows_per_second(MemorySegment struct) {
    return struct.get(JAVA_DOUBLE, 72);
  }

  /**
   * The field seconds: speed, time so far, time left.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double seconds(MemorySegment struct) {
    return struct.get(JAVA_DOUBLE, 80);
  }

  /**
   * The field eta_seconds: speed, time so far, time left.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double eta_seconds(MemorySegment struct) {
    return struct.get(JAVA_DOUBLE, 88);
  }

  /**
   * The field epoch_ended: 1: the metrics below are set.
   *
   * @param struct a struct of the library
   * @return int32_t
   */
  public static int epoch_ended(MemorySegment struct) {
    return struct.get(JAVA_INT, 96);
  }

  /**
   * The field metric_count: of names and of values.
   *
   * @param struct a struct of the library
   * @return size_t
   */
  public static long metric_count(MemorySegment struct) {
    return struct.get(JAVA_LONG, 104);
  }

  /**
   * The field metric_names: borrowed for the call.
   *
   * @param struct a struct of the library
   * @return const char* const*
   */
  public static MemorySegment metric_names(MemorySegment struct) {
    return struct.get(ADDRESS, 112);
  }

  /**
   * The field metric_values: means over the epoch; borrowed.
   *
   * @param struct a struct of the library
   * @return const double*
   */
  public static MemorySegment metric_values(MemorySegment struct) {
    return struct.get(ADDRESS, 120);
  }

  /**
   * The field epoch_loss: mean over the rows of the epoch so far.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double epoch_loss(MemorySegment struct) {
    return struct.get(JAVA_DOUBLE, 128);
  }
}

// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * State of a training after a step, for the callback of percale_trainer_fit(). It grows at its end:
 * read no further than {@code struct_size}.
 */
public final class RawProgress {
  private RawProgress() {}

  /**
   * The number of bytes of the fields that this version of the header has; the library's may have
   * more.
   */
  public static final int SIZE = 136;

  /**
   * The field struct_size: in bytes, as the library has it.
   *
   * @param struct a struct of the library
   * @return uint32_t
   */
  public static int struct_size(long struct) {
    return RawMemory.getInt(struct);
  }

  /**
   * The field epoch: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long epoch(long struct) {
    return RawMemory.getLong(struct + 8);
  }

  /**
   * The field epochs: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long epochs(long struct) {
    return RawMemory.getLong(struct + 16);
  }

  /**
   * The field step: of the whole run, from 1; 0 steps: unknown.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long step(long struct) {
    return RawMemory.getLong(struct + 24);
  }

  /**
   * The field steps: of the whole run, from 1; 0 steps: unknown.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long steps(long struct) {
    return RawMemory.getLong(struct + 32);
  }

  /**
   * The field step_in_epoch: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long step_in_epoch(long struct) {
    return RawMemory.getLong(struct + 40);
  }

  /**
   * The field steps_in_epoch: counted from 1.
   *
   * @param struct a struct of the library
   * @return int64_t
   */
  public static long steps_in_epoch(long struct) {
    return RawMemory.getLong(struct + 48);
  }

  /**
   * The field loss: of this step.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double loss(long struct) {
    return RawMemory.getDouble(struct + 56);
  }

  /**
   * The field learning_rate: of this step.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double learning_rate(long struct) {
    return RawMemory.getDouble(struct + 64);
  }

  /**
   * The field rows_per_second: speed, time so far, time left.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double rows_per_second(long struct) {
    return RawMemory.getDouble(struct + 72);
  }

  /**
   * The field seconds: speed, time so far, time left.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double seconds(long struct) {
    return RawMemory.getDouble(struct + 80);
  }

  /**
   * The field eta_seconds: speed, time so far, time left.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double eta_seconds(long struct) {
    return RawMemory.getDouble(struct + 88);
  }

  /**
   * The field epoch_ended: 1: the metrics below are set.
   *
   * @param struct a struct of the library
   * @return int32_t
   */
  public static int epoch_ended(long struct) {
    return RawMemory.getInt(struct + 96);
  }

  /**
   * The field metric_count: of names and of values.
   *
   * @param struct a struct of the library
   * @return size_t
   */
  public static long metric_count(long struct) {
    return RawMemory.getLong(struct + 104);
  }

  /**
   * The field metric_names: borrowed for the call.
   *
   * @param struct a struct of the library
   * @return const char* const*
   */
  public static long metric_names(long struct) {
    return RawMemory.getLong(struct + 112);
  }

  /**
   * The field metric_values: means over the epoch; borrowed.
   *
   * @param struct a struct of the library
   * @return const double*
   */
  public static long metric_values(long struct) {
    return RawMemory.getLong(struct + 120);
  }

  /**
   * The field epoch_loss: mean over the rows of the epoch so far.
   *
   * @param struct a struct of the library
   * @return double
   */
  public static double epoch_loss(long struct) {
    return RawMemory.getDouble(struct + 128);
  }
}

package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.percale.raw.RawProgress;

/**
 * What is told after each step of {@link Trainer#fit}.
 *
 * @param epoch from 1
 * @param epochs how many there will be
 * @param step over the whole run, from 1
 * @param steps how many there will be; 0 when that is not known
 * @param stepInEpoch from 1
 * @param stepsInEpoch how many the epoch has
 * @param loss of this step's batch, before the update
 * @param learningRate of this step
 * @param rowsPerSecond rows that are trained per second
 * @param seconds since the training began
 * @param etaSeconds until it ends, as far as one can tell
 * @param epochLoss the mean over the epoch's rows so far, each before its update
 * @param epochEnded whether the epoch has ended with this step
 * @param metrics by name; at the end of an epoch
 */
public record Progress(long epoch, long epochs, long step, long steps, long stepInEpoch, long stepsInEpoch, double loss,
    double learningRate, double rowsPerSecond, double seconds, double etaSeconds, double epochLoss, boolean epochEnded,
    Map<String, Double> metrics) {
  /** A copy of what the library lends for a call. */
  static Progress of(MemorySegment borrowed) {
    MemorySegment raw = borrowed.reinterpret(RawProgress.LAYOUT.byteSize());
    Map<String, Double> metrics = new LinkedHashMap<>();
    long count = RawProgress.metric_count(raw);
    MemorySegment names = RawProgress.metric_names(raw).reinterpret(8 * count);
    MemorySegment values = RawProgress.metric_values(raw).reinterpret(8 * count);
    for (long i = 0; i < count; ++i) {
      metrics.put(Native.borrowed(names.getAtIndex(ADDRESS, i)), values.getAtIndex(JAVA_DOUBLE, i));
    }
    return new Progress(RawProgress.epoch(raw), RawProgress.epochs(raw), RawProgress.step(raw), RawProgress.steps(raw),
        RawProgress.step_in_epoch(raw), RawProgress.steps_in_epoch(raw), RawProgress.loss(raw),
        RawProgress.learning_rate(raw), RawProgress.rows_per_second(raw), RawProgress.seconds(raw),
        RawProgress.eta_seconds(raw), RawProgress.epoch_loss(raw), RawProgress.epoch_ended(raw) != 0,
        Collections.unmodifiableMap(metrics));
  }
}

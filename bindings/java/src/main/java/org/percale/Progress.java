package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.percale.raw.RawProgress;

/**
 * A completed step of {@link Trainer#fit}.
 *
 * @param epoch the number of the epoch, from 1
 * @param epochs the number of epochs in all
 * @param step the number of the step in the whole run, from 1
 * @param steps the number of steps in all; 0 if unknown
 * @param stepInEpoch the number of the step in the epoch, from 1
 * @param stepsInEpoch the number of steps in the epoch
 * @param loss the loss of this step's batch, before the update
 * @param learningRate the learning rate of this step
 * @param rowsPerSecond the number of rows trained per second
 * @param seconds the time since the training began
 * @param etaSeconds the estimated time until it ends
 * @param epochLoss the mean loss over the rows of the epoch so far, each before its update
 * @param epochEnded whether this step ended the epoch
 * @param metrics the metrics by name, at the end of an epoch
 */
public record Progress(long epoch, long epochs, long step, long steps, long stepInEpoch, long stepsInEpoch, double loss,
    double learningRate, double rowsPerSecond, double seconds, double etaSeconds, double epochLoss, boolean epochEnded,
    Map<String, Double> metrics) {
  /** Returns a copy of a struct that the library lends for a call. */
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

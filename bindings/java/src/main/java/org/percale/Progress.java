package org.percale;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.percale.raw.RawMemory;
import org.percale.raw.RawProgress;

/** A completed step of {@link Trainer#fit}. */
public final class Progress {
  private final long epoch;
  private final long epochs;
  private final long step;
  private final long steps;
  private final long stepInEpoch;
  private final long stepsInEpoch;
  private final double loss;
  private final double learningRate;
  private final double rowsPerSecond;
  private final double seconds;
  private final double etaSeconds;
  private final double epochLoss;
  private final boolean epochEnded;
  private final Map<String, Double> metrics;

  /** Copies a struct that the library lends for a call. */
  Progress(long raw) {
    epoch = RawProgress.epoch(raw);
    epochs = RawProgress.epochs(raw);
    step = RawProgress.step(raw);
    steps = RawProgress.steps(raw);
    stepInEpoch = RawProgress.step_in_epoch(raw);
    stepsInEpoch = RawProgress.steps_in_epoch(raw);
    loss = RawProgress.loss(raw);
    learningRate = RawProgress.learning_rate(raw);
    rowsPerSecond = RawProgress.rows_per_second(raw);
    seconds = RawProgress.seconds(raw);
    etaSeconds = RawProgress.eta_seconds(raw);
    epochLoss = RawProgress.epoch_loss(raw);
    epochEnded = RawProgress.epoch_ended(raw) != 0;
    metrics = metrics(raw);
  }

  private static Map<String, Double> metrics(long raw) {
    Map<String, Double> out = new LinkedHashMap<>();
    for (long i = 0; i < RawProgress.metric_count(raw); ++i) {
      String name = Native.borrowed(RawMemory.getLong(RawProgress.metric_names(raw) + 8 * i));
      out.put(name, RawMemory.getDouble(RawProgress.metric_values(raw) + 8 * i));
    }
    return Collections.unmodifiableMap(out);
  }

  /**
   * Returns the number of the epoch, from 1.
   *
   * @return the number
   */
  public long epoch() {
    return epoch;
  }

  /**
   * Returns the number of epochs in all.
   *
   * @return the number
   */
  public long epochs() {
    return epochs;
  }

  /**
   * Returns the number of the step in the whole run, from 1.
   *
   * @return the number
   */
  public long step() {
    return step;
  }

  /**
   * Returns the number of steps in all; 0 if unknown.
   *
   * @return the number
   */
  public long steps() {
    return steps;
  }

  /**
   * Returns the number of the step in the epoch, from 1.
   *
   * @return the number
   */
  public long stepInEpoch() {
    return stepInEpoch;
  }

  /**
   * Returns the number of steps in the epoch.
   *
   * @return the number
   */
  public long stepsInEpoch() {
    return stepsInEpoch;
  }

  /**
   * Returns the loss of this step's batch, before the update.
   *
   * @return the loss
   */
  public double loss() {
    return loss;
  }

  /**
   * Returns the learning rate of this step.
   *
   * @return the rate
   */
  public double learningRate() {
    return learningRate;
  }

  /**
   * Returns the number of rows trained per second.
   *
   * @return the number
   */
  public double rowsPerSecond() {
    return rowsPerSecond;
  }

  /**
   * Returns the time since the training began.
   *
   * @return the time, in seconds
   */
  public double seconds() {
    return seconds;
  }

  /**
   * Returns the estimated time until it ends.
   *
   * @return the time, in seconds
   */
  public double etaSeconds() {
    return etaSeconds;
  }

  /**
   * Returns the mean loss over the rows of the epoch so far, each before its update.
   *
   * @return the loss
   */
  public double epochLoss() {
    return epochLoss;
  }

  /**
   * Returns whether this step ended the epoch.
   *
   * @return true if it did
   */
  public boolean epochEnded() {
    return epochEnded;
  }

  /**
   * Returns the metrics by name, at the end of an epoch.
   *
   * @return their values
   */
  public Map<String, Double> metrics() {
    return metrics;
  }
}

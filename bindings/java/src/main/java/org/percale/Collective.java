package org.percale;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * An exchange of bytes between the processes of a group, which a program supplies by its sockets,
 * MPI or a cluster's own means. {@link Trainer#join} makes a trainer a member of the group.
 */
public interface Collective {
  /**
   * Returns the number of this process. It is read once, by {@link Trainer#join}, as are {@link
   * #size} and {@link #generation}.
   *
   * @return the number, from 0
   */
  int rank();

  /**
   * Returns the number of processes.
   *
   * @return the number, at least 1
   */
  int size();

  /**
   * Returns a number that grows when the group is formed anew. {@link #exchange} refuses messages
   * of older generations.
   *
   * @return the number
   */
  long generation();

  /**
   * Sends {@code sends[r]} to rank r and fills {@code receives[r]} with what rank r sends, for all
   * ranks; the entries of the own rank are empty. All ranks call it in the same order and with the
   * same tag, and both sides know every size in advance. It throws an exception for a message of
   * another size or with another tag.
   *
   * <p>Tags grow on every rank. If losses are reported, a message with a smaller tag than that of
   * the call is of an exchange that has failed: drop it. One with a larger tag says that the other
   * rank has given this exchange up: throw an exception, and keep the message for the call with its
   * tag.
   *
   * <p>The library calls it on one thread at a time, which need not be the one that trains. It may
   * block. It must not use the same trainer.
   *
   * @param tag the number that a message carries
   * @param sends the messages to send, which are read-only; valid during the call, on any thread
   * @param receives the memory for the messages to receive; valid during the call, on any thread
   * @param timeout the time after which it must throw an exception; null means no limit
   * @throws Exception ends the call that needed the exchange, such as {@link Trainer#fit}. It is
   *     the cause of the {@link PercaleException} of that call, whose code is that of another
   *     PercaleException, {@link Code#UNAVAILABLE} for an {@link java.io.IOException} and a {@link
   *     java.util.concurrent.TimeoutException}, {@link Code#CANCELLED} for an {@link
   *     InterruptedException}, and otherwise {@link Code#ABORTED}
   */
  void exchange(long tag, ByteBuffer[] sends, ByteBuffer[] receives, Duration timeout) throws Exception;

  /**
   * Returns whether {@link #lost} tells which ranks are lost. Training then goes on without them
   * and gives the same bits. Two ranks hold each part of the optimizer's state (option
   * "collective_redundancy"); if both are lost, {@link Trainer#fit} throws an error with {@link
   * Code#DATA_LOSS}.
   *
   * @return whether it does; false by default
   */
  default boolean reportsLosses() {
    return false;
  }

  /**
   * Returns all lost ranks. It is called only after an exchange that failed.
   *
   * <p>If it returns no further rank, and the exchange has failed with {@link Code#UNAVAILABLE},
   * all ranks repeat the step: the connections must work again. After eight repeats in a row
   * without a completed step it is called once more, without an exchange in between, to give a rank
   * up; otherwise the training ends. An exception ends it as well.
   *
   * @return the ranks, in ascending order
   * @throws Exception as {@link #exchange} does
   */
  default int[] lost() throws Exception {
    return new int[0];
  }
}

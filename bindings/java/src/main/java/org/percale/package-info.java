/**
 * Trains and serves models with Percale: through java.lang.foreign on Java 22 and newer, else
 * through JNI.
 *
 * <p>Every class that owns an object of the library is {@link java.lang.AutoCloseable}. Objects
 * that are no longer reachable are closed by the garbage collector. Using an object after {@code
 * close()} throws an {@link java.lang.IllegalStateException}. Closing an object during a call takes
 * effect at the end of the call. Errors of the library are {@link org.percale.PercaleException}s
 * with a code and a message.
 *
 * <p>Threads: any number of threads may use an {@link org.percale.Engine}, {@link
 * org.percale.Tensor}, {@link org.percale.Graph}, {@link org.percale.Variables}, {@link
 * org.percale.Session} or {@link org.percale.Trace} at once. Only one thread at a time may use a
 * {@link org.percale.GraphBuilder}, {@link org.percale.PreparedCall}, {@link org.percale.Dataset},
 * {@link org.percale.Trainer} or {@link org.percale.Cluster}; a second one gets an {@code
 * IllegalStateException}.
 */
package org.percale;


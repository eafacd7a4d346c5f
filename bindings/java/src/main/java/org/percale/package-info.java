/**
 * Percale for Java, on the foreign function interface alone.
 *
 * <p>Everything that stands for something of the library is {@link java.lang.AutoCloseable}; what is forgotten is closed when the
 * garbage collector finds it. Use after {@code close()} is an {@link java.lang.IllegalStateException}; a close during a call takes
 * effect at its end. Errors of the library are {@link org.percale.PercaleException}s with its code and message.
 *
 * <p>Threads: {@link org.percale.Engine}, {@link org.percale.Tensor}, {@link org.percale.Graph}, {@link org.percale.Variables},
 * {@link org.percale.Session} and {@link org.percale.Trace} may be used by several threads at once;
 * {@link org.percale.GraphBuilder}, {@link org.percale.PreparedCall}, {@link org.percale.Dataset}, {@link org.percale.Trainer} and
 * {@link org.percale.Cluster} by one at a time, and a second one gets an {@code IllegalStateException}.
 */
package org.percale;

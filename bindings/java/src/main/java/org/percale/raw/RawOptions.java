// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_options, as the header has them.
 */
public final class RawOptions {
  private RawOptions() {}

  static {
    Raw.bind(RawOptions.class);
  }

  /**
   * Creates options of a kind: "engine", "session", "trainer" or "export". NOT_FOUND for another
   * {@code kind}.
   *
   * @param kind text const char*
   * @param out_options out percale_options**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_create(long kind, long out_options);

  /**
   * Releases the options. NULL is allowed.
   *
   * @param options in percale_options*
   */
  public static native void percale_options_release(long options);

  /**
   * Sets an option from its text, which is converted to the type of the option. A size in bytes may
   * have a unit: "2GB" (10^9 bytes each) or "2GiB" (2^30 bytes each). NOT_FOUND: an unknown key;
   * the message names a similar one. OUT_OF_RANGE: the message names the range.
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set(long options, long key, long value);

  /**
   * Sets an option to a whole number. Errors as percale_options_set().
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set_int(long options, long key, long value);

  /**
   * Sets an option to a number. Errors as percale_options_set().
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value in double
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set_float(long options, long key, double value);

  /**
   * Describes all options of all kinds as JSON: [{"kind", "key", "type", "default", "choices",
   * "min", "max", "doc"}]. "type" is int, float, bytes, text, choice or switch. Options of type
   * choice have "choices", such as "a|b|c". Numbers with bounds have "min" and "max".
   *
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_describe(long out_json);

  /**
   * Makes engines of these options compute on the host's threads. They then start no threads that
   * compute: loops of kernels, asynchronous runs and batches of data are tasks of the pool, or work
   * of the calling thread. The option "threads" is the number of threads that one loop uses at
   * most, the calling one included. Results have the same bits as with the engine's own threads.
   * {@code options} are of kind "engine". Training has a thread of its own for each device that
   * works from a stream or whose shards meet within a step (synchronized batch normalization), and
   * for the exchange in a group.
   * <p>The library copies the table. {@code destroy} (may be NULL) is called with its {@code user}
   * when the options and all engines made with them are gone, or when another call replaces the
   * pool; not on failure. Tasks that begin after that return at once. An asynchronous run that
   * waits for a queue or a mutex holds the thread that it has.
   *
   * @param options in percale_options*
   * @param pool table const percale_thread_pool*
   * @param destroy destroy percale_destroy
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set_thread_pool(long options, long pool, long destroy);

  /**
   * Lets engines of these options read files of the host. Wherever they take a path to read from, a
   * path that begins with "host:" names such a file: graphs, models to import, weights, tensors,
   * data sets, the models of a SPEC, checkpoints. The host gets the name behind "host:". Other
   * paths are files of the system as ever.
   * <p>A file is read when the call that names it runs, once and into memory that the engine
   * counts; tensors then lie in that memory. Files that a model names itself, such as the external
   * data of ONNX, are read by their path beside the model, and only the bytes that tensors need:
   * the model "host:m/model.onnx" with the data "weights.bin" reads "m/weights.bin". A checkpoint
   * is named by its folder, "host:run/step-7", because the files of a host cannot be listed. A
   * status of the reader is passed on with the path in front. Nothing is written through a reader.
   * <p>The library copies the table. {@code destroy} (may be NULL) is called with its {@code user}
   * when the options and all engines made with them are gone, or when another call replaces the
   * reader; not on failure. {@code options} are of kind "engine".
   * <p>&#64;code percale_reader reader = {sizeof reader, &amp;archive, archive_size, archive_read};
   * status = percale_options_set_reader(options, &amp;reader, NULL); if (status == NULL) status =
   * percale_engine_create(options, &amp;engine); if (status == NULL) status =
   * percale_graph_load_file(engine, "host:digits.percale", &amp;graph); &#64;endcode
   *
   * @param options in percale_options*
   * @param reader table const percale_reader*
   * @param destroy destroy percale_destroy
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set_reader(long options, long reader, long destroy);
}

package org.percale;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.percale.raw.RawDataset;

/**
 * Rows in batches, from tensors, files, ranges, functions or other data sets. Only one thread at a
 * time may use it.
 */
public final class Dataset extends NativeHandle {
  private final List<String> names;
  private final Sources sources;

  private Dataset(long pointer, Sources sources) {
    super(State.exclusive("data set", pointer, RawDataset::percale_dataset_release));
    this.names = with(set -> Graph.names(i -> RawDataset.percale_dataset_get_column_name(set, i)));
    this.sources = sources;
  }

  /** Generates the rows of a data set. */
  @FunctionalInterface
  public interface RowFunction {
    /**
     * Writes a row. It must write the same row whenever it is called with the same number.
     *
     * @param number the number of the row, from 0
     * @param columns the memory of each column, which holds zeros; valid only during the call
     * @throws Exception ends the call that requested the row
     */
    void write(long number, ByteBuffer[] columns) throws Exception;
  }

  /** Reads the rows of a stream, one after the other. */
  @FunctionalInterface
  public interface StreamFunction {
    /**
     * Writes the next rows. The first row follows the rows written before, except that an epoch or
     * an evaluation begins at row 0, a resumed training at its own row, and a call after an
     * exception at the first row of its batch.
     *
     * @param epoch the number of the epoch, from 0
     * @param firstRow the number of the first row within the epoch, from 0
     * @param maxRows the largest number of rows, at least 1
     * @param columns the memory of each column for {@code maxRows} rows, one behind the other. It
     *     holds zeros, is valid only during the call, and any thread may write to it
     * @return the number of rows that were written; 0 ends the epoch
     * @throws Exception ends the call that requested the rows
     */
    long read(long epoch, long firstRow, long maxRows, ByteBuffer[] columns) throws Exception;
  }

  /** Returns the error, with the exception of a function of this data set as its cause. */
  PercaleException explain(PercaleException error) {
    return sources.explain(error);
  }

  /**
   * Creates a data set of rows of tensors, which must have the same first dim.
   *
   * @param engine the engine
   * @param columns tensors by the name of the feed, in the order of the map; must not be written to
   *     any more
   * @return the data set
   */
  public static Dataset fromTensors(Engine engine, Map<String, Tensor> columns) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(columns, "columns");
    List<String> names = List.copyOf(new ArrayList<>(columns.keySet()));
    try (Scratch scratch = new Scratch()) {
      long raw = scratch.texts(names);
      return new Dataset(Native.make(out -> engine.with(e -> withAll(new ArrayList<>(columns.values()),
          tensors -> RawDataset.percale_dataset_from_tensors(e, raw, scratch.longs(tensors), names.size(),
              out)))), Sources.NONE);
    }
  }

  /**
   * Creates a data set of rows in files: IDX (plain or gzip), .npy, .npz, .safetensors, .csv or
   * .tsv. A path "file#name" selects a tensor, or columns of a CSV file. Paths are used as given;
   * PERCALE_DATA and the cache are searched only for the data of a SPEC. Files are mapped into
   * memory if possible. Truncating a file that is in use can end the process, unless the engine
   * option "map_files" is off.
   *
   * @param engine the engine
   * @param columns files by the name of the column, in the order of the map
   * @param scale factor for u8 images, which become f32; 0 keeps them as u8
   * @return the data set
   */
  public static Dataset fromFiles(Engine engine, Map<String, Path> columns, double scale) {
    return fromFiles(engine, columns, scale, "");
  }

  /**
   * Creates a data set like {@link #fromFiles(Engine, Map, double)}, with rules for CSV files.
   *
   * @param engine the engine
   * @param columns files by the name of the column, in the order of the map
   * @param scale factor for u8 images, which become f32; 0 keeps them as u8
   * @param csv JSON rules, from {@link #csvRules} of another data set or as in SPEC.md, "CSV files"
   * @return the data set
   */
  public static Dataset fromFiles(Engine engine, Map<String, Path> columns, double scale, String csv) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(csv, "csv");
    List<String> names = List.copyOf(new ArrayList<>(columns.keySet()));
    try (Scratch scratch = new Scratch()) {
      long raw = scratch.texts(names);
      long paths = scratch.texts(
          columns.values().stream().map(Path::toString).collect(Collectors.toUnmodifiableList()));
      return new Dataset(Native.make(out -> engine.with(
          e -> RawDataset.percale_dataset_from_files(e, raw, paths, names.size(), scale, scratch.text(csv), out))),
          Sources.NONE);
    }
  }

  /**
   * Returns the rules by which the data set reads its CSV files: columns, types, categories and the
   * markers of missing values. Pass them to {@link #fromFiles} to read other files the same way.
   *
   * @return JSON; "" if the data set was not made from CSV files
   */
  public String csvRules() {
    return with(set -> Native.text(Native.make(out -> RawDataset.percale_dataset_csv_rules(set, out))));
  }

  /**
   * Creates a data set of rows with one i64 each.
   *
   * @param engine the engine
   * @param name the name of the column
   * @param start the first value
   * @param stop the end, which is not included
   * @param step the difference between consecutive values
   * @return the data set
   */
  public static Dataset range(Engine engine, String name, long start, long stop, long step) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(name, "name");
    try (Scratch scratch = new Scratch()) {
      long raw = scratch.text(name);
      return new Dataset(
          Native.make(out -> engine.with(e -> RawDataset.percale_dataset_range(e, raw, start, stop, step, out))),
          Sources.NONE);
    }
  }

  /**
   * Creates a data set whose rows a function generates. The function runs on the thread that
   * requests the batch. If it throws, the exception is the cause of the {@link PercaleException}
   * with {@link Code#ABORTED} that ends the call.
   *
   * @param engine the engine
   * @param columns the name and type of each column, and the dims of one row
   * @param rows the number of rows
   * @param function generates the rows
   * @return the data set
   */
  public static Dataset generator(Engine engine, List<TensorSpec> columns, long rows, RowFunction function) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(function, "function");
    Sources.Generator generator = new Sources.Generator(function, columns.stream().mapToLong(TensorSpec::bytes).toArray());
    long user = Callbacks.add(generator);
    long pointer;
    try (Scratch scratch = new Scratch()) {
      TensorSpec.Raw types = new TensorSpec.Raw(scratch, columns);
      pointer = Native.make(out -> engine.with(
          e -> RawDataset.percale_dataset_generator_owned(e, types.names, types.dtypes, types.dims, types.ranks,
              columns.size(), rows, Callbacks.ROW, user, Callbacks.DESTROY, out)));
    } catch (RuntimeException error) {
      Callbacks.remove(user);
      throw error;
    }
    return new Dataset(pointer, new Sources(List.of(generator)));
  }

  /**
   * Creates a data set of rows that come one after the other and whose number only their end tells:
   * from a queue, a network, a file that is read once. A stream cannot be shuffled, and no data set
   * is made from it. The modes {@code async} and {@code bounded} do not train on it.
   *
   * <p>The function runs on the thread that requests the batch. If it throws, the exception is the
   * cause of the {@link PercaleException} that ends the call. A {@link PercaleException} keeps its
   * code, an {@link java.io.IOException} becomes {@link Code#UNAVAILABLE}, an
   * {@link InterruptedException} {@link Code#CANCELLED}, any other exception {@link Code#ABORTED}.
   * {@link Code#OUT_OF_RANGE} becomes {@link Code#ABORTED}, too.
   *
   * @param engine the engine
   * @param columns the name and type of each column, and the dims of one row
   * @param function reads the rows
   * @return the data set
   */
  public static Dataset stream(Engine engine, List<TensorSpec> columns, StreamFunction function) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(function, "function");
    long[] bytes = columns.stream().mapToLong(TensorSpec::bytes).toArray();
    Sources.Stream source = new Sources.Stream(function, bytes);
    long user = Callbacks.add(source);
    long pointer;
    try (Scratch scratch = new Scratch()) {
      TensorSpec.Raw types = new TensorSpec.Raw(scratch, columns);
      pointer = Native.make(out -> engine.with(e -> RawDataset.percale_dataset_stream(e, types.names, types.dtypes,
          types.dims, types.ranks, columns.size(), Callbacks.STREAM, user, Callbacks.DESTROY, out)));
    } catch (RuntimeException error) {
      Callbacks.remove(user);
      throw error;
    }
    return new Dataset(pointer, new Sources(List.of(source)));
  }

  /**
   * Creates a data set with the columns of several data sets side by side. All must have the same
   * number of rows, and no two columns the same name.
   *
   * @param sets the data sets
   * @return a new data set
   */
  public static Dataset zip(List<Dataset> sets) {
    return ofSeveral(sets, true);
  }

  /**
   * Creates a data set of the rows of several data sets with the same columns, one data set after
   * the other.
   *
   * @param sets the data sets
   * @return a new data set
   */
  public static Dataset concatenate(List<Dataset> sets) {
    return ofSeveral(sets, false);
  }

  private static Dataset ofSeveral(List<Dataset> sets, boolean zip) {
    Sources sources = new Sources(
        sets.stream().flatMap(set -> set.sources.all().stream()).collect(Collectors.toUnmodifiableList()));
    try (Scratch scratch = new Scratch()) {
      return new Dataset(Native.make(out -> withAll(sets, pointers -> {
        long all = scratch.longs(pointers);
        return zip ? RawDataset.percale_dataset_zip(all, sets.size(), out)
            : RawDataset.percale_dataset_concatenate(all, sets.size(), out);
      })), sources);
    }
  }

  /**
   * Creates a data set of the rows of this one, repeated.
   *
   * @param times the number of repetitions
   * @return a new data set
   */
  public Dataset repeat(long times) {
    return new Dataset(Native.make(out -> with(set -> RawDataset.percale_dataset_repeat(set, times, out))), sources);
  }

  /**
   * Creates a data set with the same rows and new column names.
   *
   * @param names one name per column, in order
   * @return a new data set
   */
  public Dataset rename(List<String> names) {
    try (Scratch scratch = new Scratch()) {
      long raw = scratch.texts(names);
      return new Dataset(
          Native.make(out -> with(set -> RawDataset.percale_dataset_rename(set, raw, names.size(), out))), sources);
    }
  }

  /**
   * Creates a data set whose rows have passed through a graph without variables. The inputs of the
   * graph are columns, by name; its outputs are the new columns.
   *
   * @param graph the graph
   * @return a new data set
   */
  public Dataset map(Graph graph) {
    return new Dataset(
        Native.make(out -> with(set -> graph.with(g -> RawDataset.percale_dataset_map(set, g, out)))), sources);
  }

  /**
   * Configures the batches and the order of the rows.
   *
   * @param batchSize the number of rows per batch
   * @param shuffleSeed the seed for shuffling, at least 0; -1 keeps the order
   * @param dropRemainder whether a short last batch is dropped
   * @return this
   */
  public Dataset configure(long batchSize, long shuffleSeed, boolean dropRemainder) {
    check(set -> RawDataset.percale_dataset_configure(set, batchSize, shuffleSeed, dropRemainder ? 1 : 0));
    return this;
  }

  /**
   * Sets the batch size. The rows keep their order, and a short last batch is kept.
   *
   * @param batchSize the number of rows per batch
   * @return this
   */
  public Dataset batch(long batchSize) {
    return configure(batchSize, -1, false);
  }

  /**
   * Splits each batch into parts. Each part may be used by its own thread.
   *
   * @param replicas the number of parts
   * @return the parts
   */
  public List<Dataset> distribute(int replicas) {
    try (Scratch scratch = new Scratch()) {
      long out = scratch.allocate(8L * Math.max(replicas, 1));
      check(set -> RawDataset.percale_dataset_distribute(set, replicas, out));
      return LongStream.of(Native.longs(out, replicas)).mapToObj(part -> new Dataset(part, sources))
          .collect(Collectors.toUnmodifiableList());
    }
  }

  /**
   * Returns the number of rows.
   *
   * @return the number; -1 for a stream
   */
  public long rows() {
    return with(RawDataset::percale_dataset_rows);
  }

  /**
   * Returns the names of the columns.
   *
   * @return the names
   */
  public List<String> names() {
    return names;
  }

  /**
   * Returns the names and types of the columns.
   *
   * @return the names and types, with the dims of one row
   */
  public List<TensorSpec> columnTypes() {
    return with(set -> {
      List<TensorSpec> out = new ArrayList<>();
      for (String name : names) {
        long index = out.size();
        out.add(TensorSpec.read(name,
            (dtype, dims, rank) -> RawDataset.percale_dataset_column_type(set, index, dtype, dims, rank)));
      }
      return List.copyOf(out);
    });
  }

  /**
   * Returns the next batch. At the end of the epoch the result is empty; the call after that starts
   * the next epoch.
   *
   * @return a tensor per column
   */
  public Optional<Results> next() {
    try (Scratch scratch = new Scratch()) {
      long out = scratch.allocate(8L * names.size());
      relieve(set -> RawDataset.percale_dataset_next(set, out));
      return Optional.of(new Results(names, Tensor.takeAll(out, names.size())));
    } catch (PercaleException error) {
      if (error.code() == Code.OUT_OF_RANGE) return Optional.empty();
      throw sources.explain(error);
    }
  }

  /**
   * Returns the remaining batches of this epoch. The caller must close each batch.
   *
   * @return the batches, for one iteration
   */
  public Iterable<Results> epoch() {
    return () -> new Iterator<>() {
      private Optional<Results> next = Dataset.this.next();

      @Override
      public boolean hasNext() {
        return next.isPresent();
      }

      @Override
      public Results next() {
        Results out = next.orElseThrow(NoSuchElementException::new);
        next = Dataset.this.next();
        return out;
      }
    };
  }
}

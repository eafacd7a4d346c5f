package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.percale.raw.RawDataset;

/**
 * Examples in batches: rows of tensors or files, ranges, rows that a function makes, and what is made of such sets. One thread at a
 * time may use it.
 */
public final class Dataset extends NativeHandle {
  private final List<String> names;
  private final Sources sources;

  private Dataset(MemorySegment pointer, Sources sources) {
    super(State.exclusive("data set", pointer, RawDataset::percale_dataset_release));
    this.names = with(set -> Graph.names(i -> RawDataset.percale_dataset_get_column_name(set, i)));
    this.sources = sources;
  }

  /** Makes the rows of a data set. */
  @FunctionalInterface
  public interface RowFunction {
    /**
     * Writes a row, the same for the same number whenever it is asked for.
     *
     * @param number which row
     * @param columns the memory of each column, which holds zeros; good during the call only
     * @throws Exception what ends the call that wanted the row
     */
    void write(long number, MemorySegment[] columns) throws Exception;
  }

  /** A function that makes rows; the library lets go of it with the last set that is made of it. */
  private static final class Generator implements Callbacks.Row {
    final RowFunction function;
    final long[] bytes;
    volatile Throwable error;

    Generator(RowFunction function, long[] bytes) {
      this.function = function;
      this.bytes = bytes;
    }

    @Override
    public boolean make(long row, MemorySegment columns) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment array = columns.reinterpret(8L * bytes.length);
        MemorySegment[] out = new MemorySegment[bytes.length];
        for (int i = 0; i < out.length; ++i) {
          out[i] = array.getAtIndex(ADDRESS, i).reinterpret(bytes[i], arena, null);
        }
        function.write(row, out);
        return true;
      } catch (Throwable thrown) {
        error = thrown;
        return false;
      }
    }
  }

  /** The functions that a data set calls, to ask them for what they threw. */
  private record Sources(List<Generator> generators) {
    static final Sources NONE = new Sources(List.of());

    /** What a function threw becomes the cause of the error. */
    PercaleException explain(PercaleException error) {
      for (Generator generator : generators) {
        Throwable cause = generator.error;
        generator.error = null;
        if (cause != null && error.getCause() == null) error.initCause(cause);
      }
      return error;
    }
  }

  /** The error with what a function of the set threw as its cause. */
  PercaleException explain(PercaleException error) {
    return sources.explain(error);
  }

  /**
   * Rows of tensors: all have the same first dim. Names become names of feeds.
   *
   * @param engine the engine
   * @param columns tensors by name, not to be written to any more; in the order of the map
   * @return the set
   */
  public static Dataset fromTensors(Engine engine, Map<String, Tensor> columns) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(columns, "columns");
    List<String> names = List.copyOf(new ArrayList<>(columns.keySet()));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = Native.names(arena, names);
      return new Dataset(Native.make(out -> engine.with(e -> withAll(new ArrayList<>(columns.values()),
          tensors -> RawDataset.percale_dataset_from_tensors(e, raw, Native.pointers(arena, tensors), names.size(),
              out)))), Sources.NONE);
    }
  }

  /**
   * Rows of files, one per name: IDX (plain or gz), .npy, .npz, .safetensors, .csv or .tsv; "file#name" says which tensor, or
   * which columns of a CSV file. Paths are taken as they are: PERCALE_DATA and the cache are searched for the data of a SPEC
   * alone.
   *
   * @param engine the engine
   * @param columns files by name, in the order of the map
   * @param scale what images of u8 are multiplied by when they become f32; 0: kept as they are
   * @return the set
   */
  public static Dataset fromFiles(Engine engine, Map<String, Path> columns, double scale) {
    return fromFiles(engine, columns, scale, "");
  }

  /**
   * As {@link #fromFiles(Engine, Map, double)}, with rules for CSV files.
   *
   * @param engine the engine
   * @param columns files by name, in the order of the map
   * @param scale what images of u8 are multiplied by when they become f32; 0: kept as they are
   * @param csv JSON as SPEC.md says under "CSV files", or what {@link #csvRules} of another set gave
   * @return the set
   */
  public static Dataset fromFiles(Engine engine, Map<String, Path> columns, double scale, String csv) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(csv, "csv");
    List<String> names = List.copyOf(new ArrayList<>(columns.keySet()));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = Native.names(arena, names);
      MemorySegment paths = Native.names(arena, columns.values().stream().map(Path::toString).toList());
      return new Dataset(Native.make(out -> engine.with(
          e -> RawDataset.percale_dataset_from_files(e, raw, paths, names.size(), scale, arena.allocateFrom(csv), out))),
          Sources.NONE);
    }
  }

  /**
   * How the set reads its CSV files: columns, types, categories, what stands for missing values. With it {@link #fromFiles}
   * reads other files alike.
   *
   * @return JSON; "" for a set of other files
   */
  public String csvRules() {
    return with(set -> Native.text(Native.make(out -> RawDataset.percale_dataset_csv_rules(set, out))));
  }

  /**
   * Rows of one i64 each.
   *
   * @param engine the engine
   * @param name of the column
   * @param start the first
   * @param stop what the last is before
   * @param step from one to the next
   * @return the set
   */
  public static Dataset range(Engine engine, String name, long start, long stop, long step) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(name, "name");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = Native.name(arena, name);
      return new Dataset(
          Native.make(out -> engine.with(e -> RawDataset.percale_dataset_range(e, raw, start, stop, step, out))),
          Sources.NONE);
    }
  }

  /**
   * Rows that a function makes, on the thread of whoever wants the batch. What it throws is the cause of the
   * {@link PercaleException} with {@link Code#ABORTED} that ends the call.
   *
   * @param engine the engine
   * @param columns per column its name, type, and the dims of one row
   * @param rows how many rows there are
   * @param function makes them
   * @return the set
   */
  public static Dataset generator(Engine engine, List<TensorSpec> columns, long rows, RowFunction function) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(function, "function");
    Generator generator = new Generator(function, columns.stream().mapToLong(TensorSpec::bytes).toArray());
    MemorySegment user = Callbacks.add(generator);
    MemorySegment pointer;
    try (Arena arena = Arena.ofConfined()) {
      TensorSpec.Raw types = TensorSpec.Raw.of(arena, columns);
      pointer = Native.make(out -> engine.with(
          e -> RawDataset.percale_dataset_generator_owned(e, types.names(), types.dtypes(), types.dims(), types.ranks(),
              columns.size(), rows, Callbacks.ROW, user, Callbacks.DESTROY, out)));
    } catch (RuntimeException error) {
      Callbacks.remove(user);
      throw error;
    }
    return new Dataset(pointer, new Sources(List.of(generator)));
  }

  /**
   * The columns of several sets side by side: all have the same number of rows, no two columns one name.
   *
   * @param sets the sets
   * @return a set of its own
   */
  public static Dataset zip(List<Dataset> sets) {
    return ofSeveral(sets, true);
  }

  /**
   * The rows of several sets with the same columns, one set after the other.
   *
   * @param sets the sets
   * @return a set of its own
   */
  public static Dataset concatenate(List<Dataset> sets) {
    return ofSeveral(sets, false);
  }

  private static Dataset ofSeveral(List<Dataset> sets, boolean zip) {
    Sources sources = new Sources(sets.stream().flatMap(set -> set.sources.generators().stream()).toList());
    try (Arena arena = Arena.ofConfined()) {
      return new Dataset(Native.make(out -> withAll(sets, pointers -> {
        MemorySegment all = Native.pointers(arena, pointers);
        return zip ? RawDataset.percale_dataset_zip(all, sets.size(), out)
            : RawDataset.percale_dataset_concatenate(all, sets.size(), out);
      })), sources);
    }
  }

  /**
   * The rows of this set several times over.
   *
   * @param times how often
   * @return a set of its own
   */
  public Dataset repeat(long times) {
    return new Dataset(Native.make(out -> with(set -> RawDataset.percale_dataset_repeat(set, times, out))), sources);
  }

  /**
   * The same rows with other names of their columns.
   *
   * @param names one for each, in order
   * @return a set of its own
   */
  public Dataset rename(List<String> names) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = Native.names(arena, names);
      return new Dataset(
          Native.make(out -> with(set -> RawDataset.percale_dataset_rename(set, raw, names.size(), out))), sources);
    }
  }

  /**
   * Rows that went through a graph without variables: its inputs are columns by name, its outputs the new columns.
   *
   * @param graph the graph
   * @return a set of its own
   */
  public Dataset map(Graph graph) {
    return new Dataset(
        Native.make(out -> with(set -> graph.with(g -> RawDataset.percale_dataset_map(set, g, out)))), sources);
  }

  /**
   * Sets how rows come.
   *
   * @param batchSize rows of a batch
   * @param shuffleSeed from 0 on; -1 for the order of the rows
   * @param dropRemainder whether a short last batch is dropped
   * @return this
   */
  public Dataset configure(long batchSize, long shuffleSeed, boolean dropRemainder) {
    check(set -> RawDataset.percale_dataset_configure(set, batchSize, shuffleSeed, dropRemainder ? 1 : 0));
    return this;
  }

  /**
   * Sets how rows come: in their order, with the short last batch.
   *
   * @param batchSize rows of a batch
   * @return this
   */
  public Dataset batch(long batchSize) {
    return configure(batchSize, -1, false);
  }

  /**
   * The parts of the set, each for a thread of its own.
   *
   * @param replicas how many
   * @return the parts
   */
  public List<Dataset> distribute(int replicas) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS, Math.max(replicas, 1));
      check(set -> RawDataset.percale_dataset_distribute(set, replicas, out));
      return Native.read(out, replicas).stream().map(part -> new Dataset(part, sources)).toList();
    }
  }

  /**
   * How many rows there are.
   *
   * @return the number
   */
  public long rows() {
    return with(RawDataset::percale_dataset_rows);
  }

  /**
   * The columns.
   *
   * @return their names
   */
  public List<String> names() {
    return names;
  }

  /**
   * The columns.
   *
   * @return their names and types, dims being those of one row
   */
  public List<TensorSpec> columnTypes() {
    return with(set -> {
      List<TensorSpec> out = new ArrayList<>();
      for (String name : names) {
        long index = out.size();
        out.add(TensorSpec.ask(name,
            (dtype, dims, rank) -> RawDataset.percale_dataset_column_type(set, index, dtype, dims, rank)));
      }
      return List.copyOf(out);
    });
  }

  /**
   * The next batch; nothing at the end of the epoch, after which the next epoch begins.
   *
   * @return a tensor per column
   */
  public Optional<Results> next() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS, names.size());
      relieve(set -> RawDataset.percale_dataset_next(set, out));
      return Optional.of(new Results(names, Native.read(out, names.size()).stream().map(Tensor::take).toList()));
    } catch (PercaleException error) {
      if (error.code() == Code.OUT_OF_RANGE) return Optional.empty();
      throw sources.explain(error);
    }
  }

  /**
   * The batches of what is left of this epoch. Whoever takes a batch closes it.
   *
   * @return the batches, once
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

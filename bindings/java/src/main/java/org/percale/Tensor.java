package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.percale.raw.RawTensor;

/**
 * Elements in row-major order, outside of the Java heap. Any number of threads may read a tensor.
 * While a thread writes to it, no other may use it.
 */
public final class Tensor extends NativeHandle {
  private Tensor(MemorySegment pointer, long bytes) {
    super(State.shared("tensor", pointer, raw -> {
      RawTensor.percale_tensor_release(raw);
      Shortage.letGo(bytes);
    }));
  }

  /** Takes ownership of a reference of the library. */
  static Tensor take(MemorySegment pointer) {
    long bytes = RawTensor.percale_tensor_bytes(pointer);
    Shortage.hold(bytes);
    return new Tensor(pointer, bytes);
  }

  /**
   * Creates a tensor of zeros in the engine's memory, aligned to 64 bytes.
   *
   * @param engine the engine that provides the memory
   * @param dtype the type of the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor zeros(Engine engine, DType dtype, long... dims) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(dtype, "dtype");
    Objects.requireNonNull(dims, "dims");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment shape = Native.longs(arena, dims);
      return engine.with(raw -> take(Native.make(
          out -> RawTensor.percale_tensor_create(raw, dtype.number(), shape, dims.length, out))));
    }
  }

  private static Tensor copy(Engine engine, DType dtype, MemorySegment elements, long count, long[] dims) {
    long wanted = Arrays.stream(dims).reduce(1, Math::multiplyExact);
    if (wanted != count) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          count + " elements do not make the shape " + Arrays.toString(dims));
    }
    Tensor out = zeros(engine, dtype, dims);
    out.with(raw -> RawTensor.percale_tensor_get_data(raw).reinterpret(elements.byteSize()).copyFrom(elements));
    return out;
  }

  /**
   * Creates a tensor with a copy of these elements.
   *
   * @param engine the engine that provides the memory
   * @param elements the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor of(Engine engine, float[] elements, long... dims) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(elements, "elements");
    Objects.requireNonNull(dims, "dims");
    return copy(engine, DType.F32, MemorySegment.ofArray(elements), elements.length, dims);
  }

  /**
   * Creates a tensor with a copy of these elements.
   *
   * @param engine the engine that provides the memory
   * @param elements the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor of(Engine engine, double[] elements, long... dims) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(elements, "elements");
    Objects.requireNonNull(dims, "dims");
    return copy(engine, DType.F64, MemorySegment.ofArray(elements), elements.length, dims);
  }

  /**
   * Creates a tensor with a copy of these elements.
   *
   * @param engine the engine that provides the memory
   * @param elements the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor of(Engine engine, long[] elements, long... dims) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(elements, "elements");
    Objects.requireNonNull(dims, "dims");
    return copy(engine, DType.I64, MemorySegment.ofArray(elements), elements.length, dims);
  }

  /**
   * Creates a tensor with a copy of these elements.
   *
   * @param engine the engine that provides the memory
   * @param elements the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor of(Engine engine, int[] elements, long... dims) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(elements, "elements");
    Objects.requireNonNull(dims, "dims");
    return copy(engine, DType.I32, MemorySegment.ofArray(elements), elements.length, dims);
  }

  /**
   * Creates a tensor with a copy of these elements, as u8.
   *
   * @param engine the engine that provides the memory
   * @param elements the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor of(Engine engine, byte[] elements, long... dims) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(elements, "elements");
    Objects.requireNonNull(dims, "dims");
    return copy(engine, DType.U8, MemorySegment.ofArray(elements), elements.length, dims);
  }

  /**
   * Creates a tensor over native memory, without a copy. The segment stays reachable until the last
   * user of the tensor has released it. If its arena can be closed, do not close it before that.
   *
   * @param memory the elements, row-major
   * @param dtype the type of the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor wrap(MemorySegment memory, DType dtype, long... dims) {
    if (!memory.isNative()) {
      throw new PercaleException(Code.INVALID_ARGUMENT, "wrap(): the segment is on Java's heap, wanted native memory; of() copies arrays");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment shape = Native.longs(arena, dims);
      MemorySegment user = Callbacks.add(memory);
      try {
        return take(Native.make(out -> RawTensor.percale_tensor_from_memory(
            dtype.number(), shape, dims.length, memory, memory.byteSize(), Callbacks.DELETER, user, out)));
      } catch (RuntimeException error) {
        Callbacks.remove(user);
        throw error;
      }
    }
  }

  /**
   * Creates a tensor over the remaining elements of a direct buffer in native byte order, without a
   * copy.
   *
   * @param buffer the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor wrap(FloatBuffer buffer, long... dims) {
    if (!buffer.isDirect() || buffer.order() != ByteOrder.nativeOrder()) {
      throw new PercaleException(Code.INVALID_ARGUMENT, "wrap(): wanted a direct buffer in the machine's byte order");
    }
    return wrap(MemorySegment.ofBuffer(buffer), DType.F32, dims);
  }

  /**
   * Reads a NumPy .npy file.
   *
   * @param engine the engine that provides the memory
   * @param path the file
   * @return the tensor
   */
  public static Tensor load(Engine engine, Path path) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      return engine.with(raw -> take(Native.make(out -> RawTensor.percale_tensor_load(raw, name, out))));
    }
  }

  /**
   * Imports a tensor from the bytes of a foreign format, through an importer plug-in.
   *
   * @param engine the engine that loaded the plug-in
   * @param format "onnx": a TensorProto
   * @param bytes the bytes
   * @return the tensor
   */
  public static Tensor importBytes(Engine engine, String format, byte[] bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, format);
      MemorySegment data = arena.allocateFrom(JAVA_BYTE, bytes);
      return engine.with(
          raw -> take(Native.make(out -> RawTensor.percale_tensor_import(raw, name, data, bytes.length, out))));
    }
  }

  /**
   * Writes a NumPy .npy file.
   *
   * @param path the file
   */
  public void save(Path path) {
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      check(raw -> RawTensor.percale_tensor_save(raw, name));
    }
  }

  /**
   * Returns the type of the elements.
   *
   * @return the type
   */
  public DType dtype() {
    return DType.of(with(RawTensor::percale_tensor_dtype));
  }

  /**
   * Returns the dims, which are empty for a scalar.
   *
   * @return a copy of the dims
   */
  public long[] dims() {
    return with(raw -> RawTensor.percale_tensor_get_dims(raw)
        .reinterpret(8 * RawTensor.percale_tensor_rank(raw))
        .toArray(JAVA_LONG));
  }

  /**
   * Returns the number of elements.
   *
   * @return the number
   */
  public long size() {
    return with(RawTensor::percale_tensor_element_count);
  }

  /**
   * Returns the elements without a copy. They stay valid while the arena is open, even if the
   * tensor is closed.
   *
   * @param arena a confined one for one thread, or a shared one for several
   * @return the memory
   */
  public MemorySegment data(Arena arena) {
    return with(raw -> {
      MemorySegment kept = RawTensor.percale_tensor_retain(raw);
      return RawTensor.percale_tensor_get_data(raw).reinterpret(
          RawTensor.percale_tensor_bytes(raw), arena, ignored -> RawTensor.percale_tensor_release(kept));
    });
  }

  /**
   * Returns the elements without a copy. They stay valid while they are reachable.
   *
   * @return the memory
   */
  public MemorySegment data() {
    return data(Arena.ofAuto());
  }

  /**
   * Returns the elements of an f32 tensor as a buffer, without a copy.
   *
   * @return the buffer
   */
  public FloatBuffer asFloatBuffer() {
    want(DType.F32);
    return data().asByteBuffer().order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  private void want(DType... dtypes) {
    DType own = dtype();
    if (!Arrays.asList(dtypes).contains(own)) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          "the elements are " + own + ", not " + dtypes[0] + " (shape " + Arrays.toString(dims()) + ")");
    }
  }

  private <T> T read(java.util.function.Function<MemorySegment, T> copy) {
    return with(raw -> copy.apply(
        RawTensor.percale_tensor_get_data(raw).reinterpret(RawTensor.percale_tensor_bytes(raw))));
  }

  /**
   * Returns a copy of the elements, which must be f32.
   *
   * @return the elements
   */
  public float[] toFloatArray() {
    want(DType.F32);
    return read(data -> data.toArray(JAVA_FLOAT.withByteAlignment(1)));
  }

  /**
   * Returns a copy of the elements, which must be f64.
   *
   * @return the elements
   */
  public double[] toDoubleArray() {
    want(DType.F64);
    return read(data -> data.toArray(JAVA_DOUBLE.withByteAlignment(1)));
  }

  /**
   * Returns a copy of the elements, which must be i64 or u64.
   *
   * @return the elements
   */
  public long[] toLongArray() {
    want(DType.I64, DType.U64);
    return read(data -> data.toArray(JAVA_LONG.withByteAlignment(1)));
  }

  /**
   * Returns a copy of the elements, which must be i32 or u32.
   *
   * @return the elements
   */
  public int[] toIntArray() {
    want(DType.I32, DType.U32);
    return read(data -> data.toArray(JAVA_INT.withByteAlignment(1)));
  }

  /**
   * Returns a copy of the bytes of the elements, of any type.
   *
   * @return the bytes
   */
  public byte[] toByteArray() {
    return read(data -> data.toArray(JAVA_BYTE));
  }

  /**
   * Returns the only element of a tensor with one element, as a number.
   *
   * @return the element
   */
  public double item() {
    if (size() != 1) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          "item(): the tensor is " + this + ", wanted one element");
    }
    DType dtype = dtype();
    return read(data -> switch (dtype) {
      case F32 -> (double) data.get(JAVA_FLOAT.withByteAlignment(1), 0);
      case F64 -> data.get(JAVA_DOUBLE.withByteAlignment(1), 0);
      case I64 -> (double) data.get(JAVA_LONG.withByteAlignment(1), 0);
      case I32 -> (double) data.get(JAVA_INT.withByteAlignment(1), 0);
      case I16 -> (double) data.get(JAVA_SHORT.withByteAlignment(1), 0);
      case F16 -> (double) Float.float16ToFloat(data.get(JAVA_SHORT.withByteAlignment(1), 0));
      case BF16 -> (double) Float.intBitsToFloat(data.get(JAVA_SHORT.withByteAlignment(1), 0) << 16);
      case I8 -> (double) data.get(JAVA_BYTE, 0);
      case U8, BOOL -> (double) Byte.toUnsignedInt(data.get(JAVA_BYTE, 0));
      default -> throw new PercaleException(Code.INVALID_ARGUMENT, "item() does not read " + dtype);
    });
  }

  /** Returns the type and shape. */
  @Override
  public String toString() {
    try {
      return "Tensor " + dtype() + " " + Arrays.toString(dims());
    } catch (IllegalStateException closed) {
      return "Tensor (closed)";
    }
  }
}

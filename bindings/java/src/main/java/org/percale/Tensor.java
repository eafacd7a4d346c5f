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
 * A tensor: elements in row-major order outside of Java's heap. Several threads may use it at once, as long as nobody writes to it;
 * whoever writes must be its only user at that time.
 */
public final class Tensor extends NativeHandle {
  private Tensor(MemorySegment pointer, long bytes) {
    super(State.shared("tensor", pointer, raw -> {
      RawTensor.percale_tensor_release(raw);
      Shortage.letGo(bytes);
    }));
  }

  /** Takes a reference of the library over. */
  static Tensor take(MemorySegment pointer) {
    long bytes = RawTensor.percale_tensor_bytes(pointer);
    Shortage.hold(bytes);
    return new Tensor(pointer, bytes);
  }

  /**
   * A tensor filled with zeros, in the engine's memory, aligned to 64 bytes.
   *
   * @param engine whose memory
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
   * A tensor with a copy of these elements.
   *
   * @param engine whose memory
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
   * A tensor with a copy of these elements.
   *
   * @param engine whose memory
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
   * A tensor with a copy of these elements.
   *
   * @param engine whose memory
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
   * A tensor with a copy of these elements.
   *
   * @param engine whose memory
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
   * A tensor with a copy of these elements, as u8.
   *
   * @param engine whose memory
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
   * A tensor over memory outside of Java's heap, without a copy. The segment is kept from the garbage collector until the last user
   * of the tensor has let go of it. A segment of an arena that can be closed must not be closed before that.
   *
   * @param memory the elements, row-major
   * @param dtype the type of the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor wrap(MemorySegment memory, DType dtype, long... dims) {
    if (!memory.isNative()) {
      throw new PercaleException(Code.INVALID_ARGUMENT, "wrap() wants memory outside of Java's heap; of() copies arrays");
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
   * A tensor over what is left of a direct buffer in the machine's byte order, without a copy.
   *
   * @param buffer the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor wrap(FloatBuffer buffer, long... dims) {
    if (!buffer.isDirect() || buffer.order() != ByteOrder.nativeOrder()) {
      throw new PercaleException(Code.INVALID_ARGUMENT, "wrap() wants a direct buffer in the machine's byte order");
    }
    return wrap(MemorySegment.ofBuffer(buffer), DType.F32, dims);
  }

  /**
   * Reads a NumPy .npy file.
   *
   * @param engine whose memory
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
   * A tensor from the bytes of a foreign format, through an importer plug-in.
   *
   * @param engine whose plug-ins
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
   * The type of the elements.
   *
   * @return the type
   */
  public DType dtype() {
    return DType.of(with(RawTensor::percale_tensor_dtype));
  }

  /**
   * The dims; empty for a scalar.
   *
   * @return a copy of the dims
   */
  public long[] dims() {
    return with(raw -> RawTensor.percale_tensor_get_dims(raw)
        .reinterpret(8 * RawTensor.percale_tensor_rank(raw))
        .toArray(JAVA_LONG));
  }

  /**
   * How many elements there are.
   *
   * @return the number
   */
  public long size() {
    return with(RawTensor::percale_tensor_element_count);
  }

  /**
   * The elements without a copy, for as long as the arena is open; a close of the tensor does not end it.
   *
   * @param arena a confined one for one thread, a shared one for several
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
   * The elements without a copy, until the garbage collector finds that nobody reaches them.
   *
   * @return the memory
   */
  public MemorySegment data() {
    return data(Arena.ofAuto());
  }

  /**
   * The elements as a buffer, without a copy. The tensor must be of f32.
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
   * A copy of the elements, which must be f32.
   *
   * @return the elements
   */
  public float[] toFloatArray() {
    want(DType.F32);
    return read(data -> data.toArray(JAVA_FLOAT.withByteAlignment(1)));
  }

  /**
   * A copy of the elements, which must be f64.
   *
   * @return the elements
   */
  public double[] toDoubleArray() {
    want(DType.F64);
    return read(data -> data.toArray(JAVA_DOUBLE.withByteAlignment(1)));
  }

  /**
   * A copy of the elements, which must be i64 or u64.
   *
   * @return the elements
   */
  public long[] toLongArray() {
    want(DType.I64, DType.U64);
    return read(data -> data.toArray(JAVA_LONG.withByteAlignment(1)));
  }

  /**
   * A copy of the elements, which must be i32 or u32.
   *
   * @return the elements
   */
  public int[] toIntArray() {
    want(DType.I32, DType.U32);
    return read(data -> data.toArray(JAVA_INT.withByteAlignment(1)));
  }

  /**
   * A copy of the bytes of the elements, whatever they are.
   *
   * @return the bytes
   */
  public byte[] toByteArray() {
    return read(data -> data.toArray(JAVA_BYTE));
  }

  /**
   * The one element of a tensor that has one, as a number.
   *
   * @return the element
   */
  public double item() {
    if (size() != 1) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          "item() wants one element; the tensor is " + this);
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

  /** Type and shape. */
  @Override
  public String toString() {
    try {
      return "Tensor " + dtype() + " " + Arrays.toString(dims());
    } catch (IllegalStateException closed) {
      return "Tensor (closed)";
    }
  }
}

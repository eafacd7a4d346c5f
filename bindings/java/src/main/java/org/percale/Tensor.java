package org.percale;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.percale.raw.RawMemory;
import org.percale.raw.RawTensor;

/**
 * Elements in row-major order, outside of the Java heap. Any number of threads may read a tensor.
 * While a thread writes to it, no other may use it.
 */
public final class Tensor extends NativeHandle {
  private Tensor(long pointer, long bytes) {
    super(State.shared("tensor", pointer, raw -> {
      RawTensor.percale_tensor_release(raw);
      Shortage.letGo(bytes);
    }));
  }

  /** Takes ownership of a reference of the library. */
  static Tensor take(long pointer) {
    long bytes = RawTensor.percale_tensor_bytes(pointer);
    Shortage.hold(bytes);
    return new Tensor(pointer, bytes);
  }

  /** Takes ownership of the references in an array. */
  static List<Tensor> takeAll(long array, int count) {
    return LongStream.of(Native.longs(array, count)).mapToObj(Tensor::take).collect(Collectors.toUnmodifiableList());
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
    try (Scratch scratch = new Scratch()) {
      long shape = scratch.longs(dims);
      return engine.with(raw -> take(Native.make(
          out -> RawTensor.percale_tensor_create(raw, dtype.number(), shape, dims.length, out))));
    }
  }

  private static Tensor copy(Engine engine, DType dtype, Object elements, long count, long[] dims) {
    long wanted = Arrays.stream(dims).reduce(1, Math::multiplyExact);
    if (wanted != count) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          count + " elements do not make the shape " + Arrays.toString(dims));
    }
    Tensor out = zeros(engine, dtype, dims);
    return out.with(raw -> {
      RawMemory.write(RawTensor.percale_tensor_get_data(raw), elements, RawTensor.percale_tensor_bytes(raw));
      return out;
    });
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
    return copy(engine, DType.F32, elements, elements.length, dims);
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
    return copy(engine, DType.F64, elements, elements.length, dims);
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
    return copy(engine, DType.I64, elements, elements.length, dims);
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
    return copy(engine, DType.I32, elements, elements.length, dims);
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
    return copy(engine, DType.U8, elements, elements.length, dims);
  }

  /**
   * Creates a tensor over the remaining bytes of a direct buffer, without a copy. The buffer stays
   * reachable until the last user of the tensor has released it.
   *
   * @param buffer the elements, row-major, in the byte order of the machine
   * @param dtype the type of the elements
   * @param dims the dims
   * @return the tensor
   */
  public static Tensor wrap(ByteBuffer buffer, DType dtype, long... dims) {
    Objects.requireNonNull(dtype, "dtype");
    return wrap(buffer, 1, ByteOrder.nativeOrder(), dtype, dims);
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
    return wrap(buffer, Float.BYTES, buffer.order(), DType.F32, dims);
  }

  private static Tensor wrap(Buffer buffer, int width, ByteOrder order, DType dtype, long[] dims) {
    if (!buffer.isDirect() || order != ByteOrder.nativeOrder()) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          "wrap(): wanted a direct buffer in the machine's byte order; of() copies arrays");
    }
    long bytes = (long) buffer.remaining() * width;
    long user = Callbacks.add(buffer);
    try (Scratch scratch = new Scratch()) {
      long shape = scratch.longs(dims);
      long address = RawMemory.address(buffer, width);
      return take(Native.make(out -> RawTensor.percale_tensor_from_memory(
          dtype.number(), shape, dims.length, address, bytes, Callbacks.DELETER, user, out)));
    } catch (RuntimeException error) {
      Callbacks.remove(user);
      throw error;
    }
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
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
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
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(format);
      long data = scratch.bytes(bytes);
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
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
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
    return with(raw -> Native.longs(RawTensor.percale_tensor_get_dims(raw), (int) RawTensor.percale_tensor_rank(raw)));
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
   * Returns the elements without a copy. They stay valid while the buffer, or a buffer made from
   * it, is reachable, even if the tensor is closed.
   *
   * @return the memory, in native byte order
   */
  public ByteBuffer data() {
    return data(0, Native.size(with(RawTensor::percale_tensor_bytes)));
  }

  /**
   * Returns a part of the elements like {@link #data()}, for a tensor that is larger than a buffer
   * can be.
   *
   * @param offset the first byte
   * @param bytes the number of bytes
   * @return the memory, in native byte order
   */
  public ByteBuffer data(long offset, int bytes) {
    return with(raw -> {
      long all = RawTensor.percale_tensor_bytes(raw);
      if (offset < 0 || bytes < 0 || offset > all - bytes) {
        throw new PercaleException(Code.OUT_OF_RANGE,
            "data(): bytes " + offset + " to " + (offset + bytes) + " of " + all + " in " + this);
      }
      long kept = RawTensor.percale_tensor_retain(raw);
      return RawMemory.view(RawTensor.percale_tensor_get_data(raw) + offset, bytes,
          () -> RawTensor.percale_tensor_release(kept));
    });
  }

  /**
   * Returns the elements of an f32 tensor as a buffer, without a copy.
   *
   * @return the buffer
   */
  public FloatBuffer asFloatBuffer() {
    want(DType.F32);
    return data().asFloatBuffer();
  }

  private void want(DType... dtypes) {
    DType own = dtype();
    if (!Arrays.asList(dtypes).contains(own)) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          "the elements are " + own + ", not " + dtypes[0] + " (shape " + Arrays.toString(dims()) + ")");
    }
  }

  /** Writes bytes of the elements from an offset on. */
  void write(long offset, byte[] bytes) {
    with(raw -> {
      RawMemory.write(RawTensor.percale_tensor_get_data(raw) + offset, bytes, bytes.length);
      return null;
    });
  }

  /** Copies the elements to an array that a function makes for their number of bytes. */
  private <T> T read(LongFunction<T> array) {
    return with(raw -> {
      long bytes = RawTensor.percale_tensor_bytes(raw);
      T out = array.apply(bytes);
      RawMemory.read(RawTensor.percale_tensor_get_data(raw), out, bytes);
      return out;
    });
  }

  /**
   * Returns a copy of the elements, which must be f32.
   *
   * @return the elements
   */
  public float[] toFloatArray() {
    want(DType.F32);
    return read(bytes -> new float[Native.size(bytes / Float.BYTES)]);
  }

  /**
   * Returns a copy of the elements, which must be f64.
   *
   * @return the elements
   */
  public double[] toDoubleArray() {
    want(DType.F64);
    return read(bytes -> new double[Native.size(bytes / Double.BYTES)]);
  }

  /**
   * Returns a copy of the elements, which must be i64 or u64.
   *
   * @return the elements
   */
  public long[] toLongArray() {
    want(DType.I64, DType.U64);
    return read(bytes -> new long[Native.size(bytes / Long.BYTES)]);
  }

  /**
   * Returns a copy of the elements, which must be i32 or u32.
   *
   * @return the elements
   */
  public int[] toIntArray() {
    want(DType.I32, DType.U32);
    return read(bytes -> new int[Native.size(bytes / Integer.BYTES)]);
  }

  /**
   * Returns a copy of the bytes of the elements, of any type.
   *
   * @return the bytes
   */
  public byte[] toByteArray() {
    return read(bytes -> new byte[Native.size(bytes)]);
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
    ByteBuffer data = ByteBuffer.wrap(toByteArray()).order(ByteOrder.nativeOrder());
    switch (dtype) {
      case F32:
        return data.getFloat();
      case F64:
        return data.getDouble();
      case I64:
        return data.getLong();
      case I32:
        return data.getInt();
      case I16:
        return data.getShort();
      case F16:
        return half(data.getShort());
      case BF16:
        return Float.intBitsToFloat(data.getShort() << 16);
      case I8:
        return data.get();
      case U8:
      case BOOL:
        return Byte.toUnsignedInt(data.get());
      default:
        throw new PercaleException(Code.INVALID_ARGUMENT, "item() does not read " + dtype);
    }
  }

  /** Returns the value of an IEEE half, which Java knows only from version 20 on. */
  private static double half(short bits) {
    int exponent = bits >> 10 & 31;
    int fraction = bits & 1023;
    double value = exponent == 31 ? (fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
        : exponent == 0 ? Math.scalb((double) fraction, -24) : Math.scalb((double) (fraction + 1024), exponent - 25);
    return bits < 0 ? -value : value;
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

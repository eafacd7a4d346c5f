// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions that belong to no type, as the header has them.
 */
public final class RawLibrary {
  private RawLibrary() {}

  private static final MethodHandle PERCALE_VERSION_ =
      Raw.getter("percale_version",
          FunctionDescriptor.of(ADDRESS));

  /**
   * Returns the version of the loaded library as "major.minor.patch". NUL-ended and static.
   *
   * @return const char*
   */
  public static MemorySegment percale_version() {
    try {
      return (MemorySegment) PERCALE_VERSION_.invokeExact();
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ABI_VERSION_ =
      Raw.getter("percale_abi_version",
          FunctionDescriptor.of(JAVA_INT));

  /**
   * Returns the version of the ABI: major * 1000 + minor. Within a major version functions are only
   * added.
   *
   * @return uint32_t
   */
  public static int percale_abi_version() {
    try {
      return (int) PERCALE_ABI_VERSION_.invokeExact();
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_FILE_CHECK_ =
      Raw.function("percale_file_check",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Reads a file or folder and returns the first error in it. The name chooses the reader: .npy,
   * .npz, .safetensors, .onnx (needs its plug-in), .json (a SPEC). A folder is a checkpoint or
   * holds checkpoints, whose checksums are compared. Any other file is read as .percale.
   * Thread-safe.
   *
   * @param engine in percale_engine*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_file_check(MemorySegment engine, MemorySegment path) {
    try {
      return (MemorySegment) PERCALE_FILE_CHECK_.invokeExact(engine, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CODE_NAME_ =
      Raw.getter("percale_code_name",
          FunctionDescriptor.of(ADDRESS, JAVA_INT));

  /**
   * Returns the name of a code in upper case, such as "INVALID_ARGUMENT". Static.
   *
   * @param code in percale_code
   * @return const char*
   */
  public static MemorySegment percale_code_name(int code) {
    try {
      return (MemorySegment) PERCALE_CODE_NAME_.invokeExact(code);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DTYPE_NAME_ =
      Raw.getter("percale_dtype_name",
          FunctionDescriptor.of(ADDRESS, JAVA_INT));

  /**
   * Returns the name of an element type in lower case, such as "f32"; "invalid" for an unknown
   * number. Static.
   *
   * @param dtype in percale_dtype
   * @return const char*
   */
  public static MemorySegment percale_dtype_name(int dtype) {
    try {
      return (MemorySegment) PERCALE_DTYPE_NAME_.invokeExact(dtype);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}

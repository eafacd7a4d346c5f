// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions that belong to no type, as the header has them.
 */
public final class RawLibrary {
  private RawLibrary() {}

  static {
    Raw.bind(RawLibrary.class);
  }

  /**
   * Returns the version of the loaded library as "major.minor.patch". NUL-ended and static.
   *
   * @return const char*
   */
  public static native long percale_version();

  /**
   * Returns the version of the ABI: major * 1000 + minor. Within a major version functions are only
   * added.
   *
   * @return uint32_t
   */
  public static native int percale_abi_version();

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
  public static native long percale_file_check(long engine, long path);

  /**
   * Returns the name of a code in upper case, such as "INVALID_ARGUMENT". Static.
   *
   * @param code in percale_code
   * @return const char*
   */
  public static native long percale_code_name(int code);

  /**
   * Returns the name of an element type in lower case, such as "f32"; "invalid" for an unknown
   * number. Static.
   *
   * @param dtype in percale_dtype
   * @return const char*
   */
  public static native long percale_dtype_name(int dtype);
}

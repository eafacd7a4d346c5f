package org.percale.raw;

import java.nio.file.Files;
import java.nio.file.Path;

/** Opens the library once for the process, through the native code of this package. */
final class Raw {
  /** The native code for virtual machines without java.lang.foreign. */
  private static final String NATIVE = System.mapLibraryName("percale_jni");

  static {
    String library = Natives.library();
    loadNative(Natives.named("percale.jni", "PERCALE_JNI"), library);
    String name = library == null ? Natives.OF_SYSTEM : library;
    try {
      openLibrary(name);
    } catch (UnsatisfiedLinkError error) {
      throw Natives.refused(name, error);
    }
  }

  private Raw() {}

  /** Loads the native code: the named file, else the one beside the library, else by the system. */
  private static void loadNative(String file, String library) {
    Path beside = library == null ? null : Path.of(library).toAbsolutePath().resolveSibling(NATIVE);
    try {
      if (file != null) {
        System.load(Path.of(file).toAbsolutePath().toString());
      } else if (beside != null && Files.exists(beside)) {
        System.load(beside.toString());
      } else {
        System.loadLibrary("percale_jni");
      }
    } catch (UnsatisfiedLinkError error) {
      throw new UnsatisfiedLinkError((file == null ? NATIVE : file) + " cannot be loaded, which Java "
          + Runtime.version().feature() + " needs; name it in the system property percale.jni, in PERCALE_JNI,"
          + " put it beside the library, or use Java 22 or newer: " + error.getMessage());
    }
  }

  /** Makes sure that the library is open. */
  static void open() {}

  private static native void openLibrary(String name);

  /** Links the native methods of a class to the functions of the library with the same names. */
  static void bind(Class<?> methods) {
    try {
      bindMethods(methods, methods.getSimpleName());
    } catch (NoSuchMethodError error) {
      throw new UnsatisfiedLinkError(NATIVE + " is of another version than the jar, wanted the one of the same build: "
          + error.getMessage());
    }
  }

  private static native void bindMethods(Class<?> methods, String name);

  private static native long callbackAddress(Class<?> callbacks, String name);

  /** Returns the address of a function that calls the static method of RawCallbacks. */
  static long callback(String name, Class<?> returns, Class<?>... parameters) {
    return callbackAddress(RawCallbacks.class, name);
  }
}

package org.percale.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/** Opens the library once for the process, when the first of its functions is wanted. */
public final class Raw {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBRARY = open();

  private Raw() {}

  /**
   * The system property {@code percale.library}, else PERCALE_LIBRARY of the environment, else the
   * system's search path.
   */
  private static SymbolLookup open() {
    String named = System.getProperty("percale.library", System.getenv("PERCALE_LIBRARY"));
    String name = named == null || named.isEmpty() ? "libpercale.so.0" : named;
    try {
      return SymbolLookup.libraryLookup(name, Arena.global());
    } catch (IllegalArgumentException error) {
      throw new UnsatisfiedLinkError(name + " cannot be opened; name the library in the system property percale.library,"
          + " in PERCALE_LIBRARY, or put its folder where the system looks: " + error.getMessage());
    }
  }

  /** A function that may take its time, or call back. */
  static MethodHandle function(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(find(name), descriptor);
  }

  /** A function that returns at once and never calls back. */
  static MethodHandle getter(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(find(name), descriptor, Linker.Option.critical(false));
  }

  private static java.lang.foreign.MemorySegment find(String name) {
    return LIBRARY.find(name).orElseThrow(() -> new UnsatisfiedLinkError("the library is too old: it has no " + name));
  }

  /** Calls a method handle; everything that it throws is unchecked. */
  static RuntimeException unexpected(Throwable error) {
    if (error instanceof RuntimeException unchecked) return unchecked;
    if (error instanceof Error fatal) throw fatal;
    return new IllegalStateException(error);
  }
}

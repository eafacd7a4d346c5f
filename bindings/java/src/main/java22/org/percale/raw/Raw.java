package org.percale.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Opens the library once for the process, through java.lang.foreign. */
final class Raw {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBRARY = open();

  private Raw() {}

  private static SymbolLookup open() {
    String library = Natives.library();
    String name = library == null ? Natives.OF_SYSTEM : library;
    try {
      return SymbolLookup.libraryLookup(name, Arena.global());
    } catch (IllegalArgumentException error) {
      throw Natives.refused(name, error);
    }
  }

  /** A function that may take its time, or call back. */
  static MethodHandle function(String name, Class<?> returns, Class<?>... parameters) {
    return LINKER.downcallHandle(find(name), descriptor(returns, parameters));
  }

  /** A function that returns at once and never calls back. */
  static MethodHandle getter(String name, Class<?> returns, Class<?>... parameters) {
    return LINKER.downcallHandle(find(name), descriptor(returns, parameters), Linker.Option.critical(false));
  }

  /** A function of C's standard library that returns at once. */
  static MethodHandle standard(String name, Class<?> returns, Class<?>... parameters) {
    return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), descriptor(returns, parameters),
        Linker.Option.critical(false));
  }

  private static java.lang.foreign.MemorySegment find(String name) {
    return LIBRARY.find(name).orElseThrow(() -> new UnsatisfiedLinkError("the library is too old: it has no " + name));
  }

  /** Returns the address of a function that calls the static method of RawCallbacks. */
  static long callback(String name, Class<?> returns, Class<?>... parameters) {
    try {
      MethodHandle method =
          MethodHandles.lookup().findStatic(RawCallbacks.class, name, MethodType.methodType(returns, parameters));
      return LINKER.upcallStub(method, descriptor(returns, parameters), Arena.global()).address();
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

  /** Pointers and 64-bit integers are passed alike. */
  private static FunctionDescriptor descriptor(Class<?> returns, Class<?>... parameters) {
    MemoryLayout[] layouts = new MemoryLayout[parameters.length];
    for (int i = 0; i < layouts.length; ++i) layouts[i] = layout(parameters[i]);
    return returns == void.class ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(layout(returns), layouts);
  }

  private static MemoryLayout layout(Class<?> type) {
    if (type == int.class) return ValueLayout.JAVA_INT;
    if (type == double.class) return ValueLayout.JAVA_DOUBLE;
    if (type == float.class) return ValueLayout.JAVA_FLOAT;
    return ValueLayout.JAVA_LONG;
  }

  /** Calls a method handle; everything that it throws is unchecked. */
  static RuntimeException unexpected(Throwable error) {
    if (error instanceof RuntimeException unchecked) return unchecked;
    if (error instanceof Error fatal) throw fatal;
    return new IllegalStateException(error);
  }
}

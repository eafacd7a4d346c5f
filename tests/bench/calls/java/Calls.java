package org.percale.calls;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.GraphBuilder;
import org.percale.PreparedCall;
import org.percale.Session;
import org.percale.TensorSpec;
import org.percale.Value;

/** A prepared call in C and in Java: the same graph, each with an engine of its own. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Calls {
  private static final int TIMES = 10_000;

  /** The call of calls.c, in the library that the property "percale.calls" names. */
  @State(Scope.Thread)
  public static class InC {
    private static final SymbolLookup LIBRARY =
        SymbolLookup.libraryLookup(Path.of(System.getProperty("percale.calls")), Arena.global());
    private static final MethodHandle OPEN = function("calls_open", FunctionDescriptor.of(ValueLayout.ADDRESS));
    private static final MethodHandle RUN = function("calls_run",
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    private static final MethodHandle CLOSE = function("calls_close", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    private MemorySegment calls;

    private static MethodHandle function(String name, FunctionDescriptor type) {
      return Linker.nativeLinker().downcallHandle(LIBRARY.find(name).orElseThrow(), type);
    }

    @Setup
    public void open() throws Throwable {
      calls = (MemorySegment) OPEN.invokeExact();
      if (calls.address() == 0 || run() != 1) throw new IllegalStateException("the call in C fails");
    }

    int run() throws Throwable {
      return (int) RUN.invokeExact(calls, (long) TIMES);
    }

    @TearDown
    public void close() throws Throwable {
      CLOSE.invokeExact(calls);
    }
  }

  /** The same call made in Java. */
  @State(Scope.Thread)
  public static class InJava {
    private PreparedCall call;

    @Setup
    public void open() {
      try (Engine engine = Engine.builder().threads(1).build(); GraphBuilder builder = GraphBuilder.create(engine)) {
        Value x = builder.input("x", DType.F32, 1);
        Value y = builder.op("Add").input(x, x).finish();
        builder.rename(y, "y");
        builder.setOutputs(y);
        try (Graph graph = builder.finish(); Session session = Session.create(engine, graph, null)) {
          call = session.prepare(List.of(new TensorSpec("x", DType.F32, 1)), "y");
        }
      }
      call.input(0).asFloatBuffer().put(0, 1.5f);
    }

    @TearDown
    public void close() {
      if (call.output(0).toFloatArray()[0] != 3) throw new IllegalStateException("1.5 + 1.5 is not 3");
      call.close();
    }
  }

  @Benchmark
  @OperationsPerInvocation(TIMES)
  public int c(InC state) throws Throwable {
    return state.run();
  }

  @Benchmark
  public void java(InJava state) {
    state.call.run();
  }
}

package org.percale;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * What a prepared call costs beyond what it costs in C. The argument is a small library whose function
 * {@code loop(void* run, void* call, void* inputs, void* outputs, long times)} calls percale_call_run() in C; both ways run the same
 * call in turns, and the smallest of many means counts. Prints nanoseconds.
 */
final class Overhead {
  private static final int RUNS = 20_000;
  private static final int TURNS = 60;

  private Overhead() {}

  public static void main(String[] arguments) throws Throwable {
    SymbolLookup loop = SymbolLookup.libraryLookup(Path.of(arguments[0]), Arena.global());
    MethodHandle inC = Linker.nativeLinker().downcallHandle(loop.find("loop").orElseThrow(),
        FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG));
    MemorySegment run = SymbolLookup.libraryLookup(System.getProperty("percale.library"), Arena.global())
        .find("percale_call_run").orElseThrow();
    try (Engine engine = Graphs.engine(); GraphBuilder builder = GraphBuilder.create(engine)) {
      Value x = builder.input("x", DType.F32, 1);
      builder.setOutputs(builder.op("Add").name("y").input(x, x).finish());
      try (Graph graph = builder.finish(); Session session = Session.create(engine, graph, null);
          PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 1)), "y");
          Arena arena = Arena.ofConfined()) {
        MemorySegment inputs = arena.allocateFrom(ValueLayout.ADDRESS, call.input(0).with(raw -> raw));
        MemorySegment outputs = arena.allocateFrom(ValueLayout.ADDRESS, call.output(0).with(raw -> raw));
        double c = Double.MAX_VALUE;
        double java = Double.MAX_VALUE;
        for (int turn = 0; turn < TURNS; ++turn) {
          long began = System.nanoTime();
          MemorySegment pointer = call.state.acquire();
          inC.invokeExact(run, pointer, inputs, outputs, (long) RUNS);
          call.state.release();
          c = Math.min(c, (System.nanoTime() - began) / (double) RUNS);
          began = System.nanoTime();
          for (int i = 0; i < RUNS; ++i) call.run();
          java = Math.min(java, (System.nanoTime() - began) / (double) RUNS);
        }
        System.out.printf("C %.1f ns, Java %.1f ns, more by %.1f ns%n", c, java, java - c);
      }
    }
  }
}

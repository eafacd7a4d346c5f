package org.percale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.percale.raw.RawCall;
import org.percale.raw.RawMemory;
import org.percale.raw.RawTensor;

/**
 * A prepared pair of feeds and fetches, the fastest way to run a graph. It has one tensor per feed
 * and per fetch: write into the memory of {@link #input}, call {@link #run}, and read the memory of
 * {@link #output}. Only one thread at a time may use a call, so create one per thread.
 */
public final class PreparedCall extends NativeHandle {
  private final Bound bound;
  private List<Tensor> inputs;
  private List<Tensor> outputs;

  private PreparedCall(State state, Bound bound, List<Tensor> inputs, List<Tensor> outputs) {
    super(state);
    this.bound = bound;
    bind(inputs, outputs);
  }

  /**
   * The pointers that each run passes to the library, each with its own reference. It has no
   * reference to the call.
   */
  private static final class Bound {
    final long inputs;
    final long outputs;
    private final int inputCount;
    private final int outputCount;

    Bound(int inputCount, int outputCount) {
      this.inputCount = inputCount;
      this.outputCount = outputCount;
      inputs = RawMemory.allocate(8L * Math.max(inputCount, 1));
      outputs = RawMemory.allocate(8L * Math.max(outputCount, 1));
    }

    static void put(long array, List<Tensor> tensors) {
      for (int i = 0; i < tensors.size(); ++i) {
        long before = RawMemory.getLong(array + 8L * i);
        Tensor next = tensors.get(i);
        RawMemory.putLong(array + 8L * i, next == null ? 0 : next.with(RawTensor::percale_tensor_retain));
        RawTensor.percale_tensor_release(before);
      }
    }

    void release() {
      for (long tensor : Native.longs(inputs, inputCount)) RawTensor.percale_tensor_release(tensor);
      for (long tensor : Native.longs(outputs, outputCount)) RawTensor.percale_tensor_release(tensor);
      RawMemory.free(inputs);
      RawMemory.free(outputs);
    }
  }

  static PreparedCall create(Engine engine, long session, List<TensorSpec> feeds, List<String> fetches) {
    try (Scratch scratch = new Scratch()) {
      TensorSpec.Raw types = new TensorSpec.Raw(scratch, feeds);
      long names = scratch.texts(fetches);
      long pointer = Native.make(out -> RawCall.percale_call_create(session, types.names, types.dtypes,
          types.dims, types.ranks, feeds.size(), names, fetches.size(), out));
      Bound bound = new Bound(feeds.size(), fetches.size());
      State state = State.exclusive("call", pointer, call -> {
        RawCall.percale_call_release(call);
        bound.release();
      });
      List<Tensor> inputs = new ArrayList<>();
      List<Tensor> outputs = new ArrayList<>();
      try {
        for (TensorSpec feed : feeds) inputs.add(Tensor.zeros(engine, feed.dtype(), feed.dims()));
        for (String fetch : fetches) {
          long index = outputs.size();
          TensorSpec type = TensorSpec.read(fetch,
              (dtype, dims, rank) -> RawCall.percale_call_output_type(pointer, index, dtype, dims, rank));
          outputs.add(Tensor.zeros(engine, type.dtype(), type.dims()));
        }
        return new PreparedCall(state, bound, inputs, outputs);
      } catch (RuntimeException error) {
        state.close();
        throw error;
      }
    }
  }

  /**
   * Returns the version of the variables that the last successful run read.
   *
   * @return its number; 0 before the first run
   */
  public long variablesVersion() {
    return with(RawCall::percale_call_variables_version);
  }

  /**
   * Makes all later runs use these tensors instead. The call keeps references to them. Only their
   * number is checked here; {@link #run()} checks their types and shapes.
   *
   * @param inputs in the order of the feeds
   * @param outputs in the order of the fetches; must not be used elsewhere during a run
   */
  public void bind(List<Tensor> inputs, List<Tensor> outputs) {
    if (this.inputs != null && (inputs.size() != this.inputs.size() || outputs.size() != this.outputs.size())) {
      throw new PercaleException(Code.INVALID_ARGUMENT, "bind: " + inputs.size() + " inputs and " + outputs.size()
          + " outputs, wanted " + this.inputs.size() + " and " + this.outputs.size());
    }
    with(call -> {
      Bound.put(bound.inputs, inputs);
      Bound.put(bound.outputs, outputs);
      return null;
    });
    this.inputs = Collections.unmodifiableList(new ArrayList<>(inputs));
    this.outputs = Collections.unmodifiableList(new ArrayList<>(outputs));
  }

  /**
   * Makes the result of a fetch the input of a feed in the next run (recurrent state). The state
   * stays on the computing device if that device can keep it. In {@link #bind}, null for the feed
   * takes the state of the last run, and a tensor starts a new state. Null for the fetch means that
   * it is not copied to the host.
   *
   * @param fetch its index in the order of the fetches
   * @param feed its index in the order of the feeds
   */
  public void carry(int fetch, int feed) {
    check(call -> RawCall.percale_call_carry(call, fetch, feed));
  }

  /**
   * Returns the tensor that a feed is read from.
   *
   * @param index its index in the order of the feeds
   * @return the tensor
   */
  public Tensor input(int index) {
    return inputs.get(index);
  }

  /**
   * Returns the tensor that a fetch is written to.
   *
   * @param index its index in the order of the fetches
   * @return the tensor
   */
  public Tensor output(int index) {
    return outputs.get(index);
  }

  /**
   * Runs until the timeout expires, the token is cancelled or the thread is interrupted. Each of
   * these also prevents the run from starting. The contents of the outputs are then undefined.
   *
   * @param timeout {@link Code#DEADLINE_EXCEEDED} after this time, at once if it is 0 or negative;
   *     null means none
   * @param token ends the run with {@link Code#CANCELLED}; null means none
   */
  public void run(Duration timeout, CancelToken token) {
    long nanoseconds = Native.nanoseconds(timeout);
    CancelToken.during(token, cancellation -> {
      relieve(call -> RawCall.percale_call_run_until(call, bound.inputs, bound.outputs, nanoseconds, cancellation));
      return null;
    });
  }

  /**
   * Runs to the end; {@link Thread#interrupt} does not end it. After the first run it allocates
   * nothing.
   */
  public void run() {
    long status = tryRun();
    if (status == 0) return;
    PercaleException error = PercaleException.take(status);
    if (error.code() != Code.RESOURCE_EXHAUSTED) throw error;
    relieve(call -> tryRun());
  }

  private long tryRun() {
    long call = state.acquire();
    try {
      return RawCall.percale_call_run(call, bound.inputs, bound.outputs);
    } finally {
      state.release();
    }
  }
}

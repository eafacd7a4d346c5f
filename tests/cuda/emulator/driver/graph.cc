// Captures of streams, and graphs.
#include "tests/cuda/emulator/driver/driver.h"

using namespace percale_emulator;
using namespace percale_emulator::driver;

extern "C" {

Result cuStreamBeginCapture_v2(Stream stream, int mode) {
  const Call call("cuStreamBeginCapture");
  if (call.fails()) return call.result;
  if (!known(stream, "cuStreamBeginCapture")) return kInvalidValue;
  if (stream->keeps || mode != kCaptureRelaxed) return misuse("cuStreamBeginCapture twice, or of another mode");
  stream->keeps = true;
  stream->broken = ++state().captures == state().options.fail_capture;
  return kSuccess;
}

Result cuStreamEndCapture(Stream stream, Graph* out) {
  const Call call("cuStreamEndCapture");
  if (call.context == nullptr || !known(stream, "cuStreamEndCapture")) return kInvalidValue;
  if (!stream->keeps) return misuse("cuStreamEndCapture without a begin");
  stream->keeps = false;
  *out = nullptr;
  auto kept = std::exchange(stream->kept, {});
  if (std::exchange(stream->broken, false)) return kStreamCaptureInvalidated;
  *out = new GraphTag{std::move(kept)};
  state().graphs.insert(*out);
  return kSuccess;
}

Result cuGraphInstantiateWithFlags(GraphExec* out, Graph graph, unsigned long long flags) {
  const Call call("cuGraphInstantiate");
  if (call.fails()) return call.result;
  if (!state().graphs.contains(graph) || flags != 0) return misuse("cuGraphInstantiate of no graph");
  *out = new GraphExecTag{call.context, graph->work};
  state().plays.insert(*out);
  return kSuccess;
}

// The whole graph counts as one launch.
Result cuGraphLaunch(GraphExec exec, Stream stream) {
  const Call call("cuGraphLaunch");
  if (call.fails()) return call.result;
  if (!known(stream, "cuGraphLaunch")) return kInvalidValue;
  State& s = state();
  if (!s.plays.contains(exec) || stream->keeps) return misuse("cuGraphLaunch of what cannot be launched");
  ++s.launches;
  ++s.replayed;
  // A later call reports it.
  if (fault(s.launches, s.options.sticky_launch, *call.context)) return kSuccess;
  for (const Work& piece : exec->work) stream->push(piece);
  return kSuccess;
}

Result cuGraphDestroy(Graph graph) {
  const Call call("cuGraphDestroy");
  if (state().graphs.erase(graph) == 0) return misuse("cuGraphDestroy of no graph");
  delete graph;
  return call.result;
}

Result cuGraphExecDestroy(GraphExec exec) {
  const Call call("cuGraphExecDestroy");
  if (state().plays.erase(exec) == 0) return misuse("cuGraphExecDestroy of nothing");
  delete exec;
  return call.result;
}

}  // extern "C"

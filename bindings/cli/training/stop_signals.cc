#include "training/stop_signals.h"

#include <csignal>
#include <cstring>

#include "api.h"
#include "system/system.h"

namespace percale_cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
constexpr const char* kAnswer = "\npercale: stopping after this step; a second signal stops immediately\n";

volatile std::sig_atomic_t g_received = 0;
volatile std::sig_atomic_t g_on_terminal = 0;

// On a terminal the line already contains the progress bar.
extern "C" void note_signal(int signal) {
  g_received = signal;
  for (const int each : kSignals) restore_default(each);
  const char* answer = kAnswer + (g_on_terminal != 0 ? 0 : 1);
  write_stderr(answer, std::strlen(answer));
}

}  // namespace

StopSignals::StopSignals() {
  g_on_terminal = stderr_is_terminal() ? 1 : 0;
  for (const int signal : kSignals) handle_signal(signal, note_signal);
}

StopSignals::~StopSignals() {
  for (const int signal : kSignals) end_handling(signal, note_signal);
}

int StopSignals::received() { return g_received; }

const char* signal_name(int signal) { return signal == SIGTERM ? "SIGTERM" : "SIGINT"; }

}  // namespace percale_cli

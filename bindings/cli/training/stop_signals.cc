#include "training/stop_signals.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "api.h"

namespace percale_cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
constexpr const char* kAnswer = "\npercale: stopping after this step; a second signal stops immediately\n";

volatile std::sig_atomic_t g_received = 0;
volatile std::sig_atomic_t g_on_terminal = 0;

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

// On a terminal the line already contains the progress bar.
extern "C" void note_signal(int signal) {
  g_received = signal;
  for (const int each : kSignals) set_handler(each, SIG_DFL);
  const char* answer = kAnswer + (g_on_terminal != 0 ? 0 : 1);
  if (write(STDERR_FILENO, answer, std::strlen(answer)) < 0) return;  // stderr is closed
}

}  // namespace

StopSignals::StopSignals() {
  g_on_terminal = stderr_is_terminal() ? 1 : 0;
  for (const int signal : kSignals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_DFL) set_handler(signal, note_signal);
  }
}

StopSignals::~StopSignals() {
  for (const int signal : kSignals) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == note_signal) set_handler(signal, SIG_DFL);
  }
}

int StopSignals::received() { return g_received; }

const char* signal_name(int signal) { return signal == SIGTERM ? "SIGTERM" : "SIGINT"; }

}  // namespace percale_cli

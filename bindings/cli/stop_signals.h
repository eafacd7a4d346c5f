// Control-C and SIGTERM as a wish that work under way can grant.
#ifndef PERCALE_BINDINGS_CLI_STOP_SIGNALS_H_
#define PERCALE_BINDINGS_CLI_STOP_SIGNALS_H_

namespace percale_cli {

// While it lives, the first SIGINT or SIGTERM is noted and answered with a line on stderr; the second one ends the process. A signal
// that the process was started to ignore stays ignored. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The signal that came, also after the object's life; 0: none.
  static int received();
};

// "SIGINT"
const char* signal_name(int signal);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_STOP_SIGNALS_H_

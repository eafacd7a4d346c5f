// Turns Control-C and SIGTERM into a request to stop after the current step.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_STOP_SIGNALS_H_
#define PERCALE_BINDINGS_CLI_TRAINING_STOP_SIGNALS_H_

namespace percale_cli {

// During its life, the first SIGINT or SIGTERM is recorded and answered with a line on stderr; the
// second one ends the process. A signal that was ignored when the process started stays ignored.
// Only one object at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Returns the signal received, also after the object's life; 0: none.
  static int received();
};

// "SIGINT"
const char* signal_name(int signal);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_STOP_SIGNALS_H_

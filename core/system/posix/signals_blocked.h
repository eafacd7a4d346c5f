// Threads that receive no signals.
#ifndef PERCALE_CORE_SYSTEM_POSIX_SIGNALS_BLOCKED_H_
#define PERCALE_CORE_SYSTEM_POSIX_SIGNALS_BLOCKED_H_

#include <pthread.h>
#include <signal.h>

namespace percale::os {

// While an object lives, threads started by this thread inherit a mask that blocks every signal.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t saved_;
};

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_POSIX_SIGNALS_BLOCKED_H_

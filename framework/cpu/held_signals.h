// Delays signals while generated code of a library runs. Not installed.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// During its lifetime, blocks asynchronous signals to the calling thread. Signals for the thread's
/// faults are not blocked, because the system would end the process.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigfillset(&held);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
      sigdelset(&held, fault);
    pthread_sigmask(SIG_SETMASK, &held, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace torch::taper::cpu

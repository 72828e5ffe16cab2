// Delays signals while generated code of a library runs. Not installed.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// Blocks asynchronous signals to the calling thread during its lifetime. Faults of the thread
/// arrive at once, because the system ends a process that blocks them.
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

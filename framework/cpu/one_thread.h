// Keeps libraries from splitting their work by OpenMP. Not installed.
#pragma once

#include <omp.h>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// During its lifetime, OpenMP uses only the calling thread in calls from this thread, because
/// parallel_for already splits the work.
class OneThread {
 public:
  OneThread() : threads_(omp_get_max_threads()) {
    if (threads_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (threads_ != 1) omp_set_num_threads(threads_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_;
};

}  // namespace torch::taper::cpu

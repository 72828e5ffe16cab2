// Runs a ProcessGroupMPI's operations. A thread starts the operations that may run concurrently,
// and polls MPI until they end. Not installed.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <taper/distributed/operation.h>
#include <taper/distributed/own_thread.h>
#include <taper/distributed/process_group_mpi.h>
#include <taper/distributed/reduction.h>
#include <taper/distributed/staging.h>

namespace torch::taper::distributed {

namespace mpi {

using Clock = std::chrono::steady_clock;

/// If MPI is not initialized, initializes it with support for threads, and finalizes it at the end
/// of the process. Throws DistError if MPI's support for threads is not sufficient.
void require();
/// Throws DistError with MPI's description if `status` is an error.
void check(int status, const char* call);
/// Holds a lock during a call of MPI, if MPI allows only one call at a time.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};
/// Returns whether the operation of `request` has ended. If it has ended, clears `request`. Throws
/// DistError if the operation failed.
bool test(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE);
/// Waits for the operation. Returns false if the deadline passes first. The operation then
/// continues.
bool finish(MPI_Request& request, Clock::time_point deadline);
/// Never frees `memory`, because an operation that still runs may write to it.
void abandon(std::shared_ptr<void> memory);
/// Returns MPI's operation for the reduction.
MPI_Op op_for(detail::Combine combine);
/// Returns MPI's datatype for elements of `itemsize` bytes.
MPI_Datatype unit(size_t itemsize);
/// Returns the largest tag of a message.
int greatest_tag();
/// The number of tags that are reserved for monitoredBarrier() and for making groups. Messages of
/// the program cannot use these tags.
constexpr int kOwnTags = 1024;
/// Send `word` to rank `to`, or receive `word` from rank `from`. Return false if the deadline
/// passes first.
bool give(MPI_Comm comm, int to, int tag, uint64_t word, Clock::time_point deadline);
bool take(MPI_Comm comm, int from, int tag, uint64_t& word, Clock::time_point deadline);

}  // namespace mpi

struct ProcessGroupMPI::Impl : std::enable_shared_from_this<ProcessGroupMPI::Impl> {
  /// Takes the ownership of the communicator, and makes MPI return its errors as statuses.
  explicit Impl(MPI_Comm comm);
  ~Impl();
  void start();

  struct Job {
    OperationPtr operation;
    detail::Staging staging;
    Tensor in, out;  // in memory of the host
    WorkPtr work;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::Clock::time_point begun, deadline;
    uint64_t words[2] = {};                 // compared between ranks
    std::string own, others;                // if they differ: the operations that this rank and
                                            // another have called
    std::vector<int> counts[2], places[2];  // of an alltoall: sent, received
    enum { kWaits, kCompares, kTells, kRuns } step = kWaits;
  };
  using JobPtr = std::shared_ptr<Job>;

  int rank = 0, size = 1;
  MPI_Comm comm;
  WorkPtr submit(OperationPtr operation);
  /// Waits for pending operations, and for the thread to end. A callback may call stop() on this
  /// thread.
  void stop();

 private:
  void serve();
  bool take_new();
  /// Advances running operations. Returns whether any has advanced.
  bool advance();
  void begin(Job& job);
  /// Does the next step of a job whose request has ended. Returns whether it was the last step.
  bool step(Job& job, const MPI_Status& status);
  void compare(Job& job);
  void tell(Job& job);
  std::string difference(const Job& job) const;
  void post(Job& job);
  void post_collective(Job& job);
  void post_reduction(Job& job);
  void post_alltoall(Job& job);
  void post_message(Job& job);
  void check_received(Job& job, const MPI_Status& status);
  /// Returns true if the job has ended, with or without an error.
  bool poll(const JobPtr& job);
  void fail(const JobPtr& job, const std::string& why);
  void fail_all();
  void rest();

  std::mutex mutex;  // guards the next four members
  std::condition_variable changed;
  std::deque<JobPtr> arrived;
  bool ends = false;
  std::exception_ptr broken;
  std::deque<JobPtr> collectives;  // used only by the thread. The first collective is running
  std::vector<JobPtr> messages;
  mpi::Clock::time_point last_progress;
  detail::OwnThread thread;
};

}  // namespace torch::taper::distributed

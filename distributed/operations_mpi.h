// How a ProcessGroupMPI runs its operations: a thread posts them, as far as they may go on beside
// each other, and asks MPI for their ends. Not installed.
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

/// Initialises MPI where nobody has, for threads; at the process's end it is ended. Throws
/// DistError where MPI has too little for threads.
void require();
/// Throws DistError with MPI's words.
void check(int status, const char* call);
/// Held while MPI is called, where MPI takes one call at a time.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};
/// Whether the operation has ended; it is none any more then. Throws DistError where it failed.
bool test(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE);
/// Waits for it. False when the time has passed; then it goes on.
bool finish(MPI_Request& request, Clock::time_point deadline);
/// What an operation under way may still write: it is kept for ever.
void abandon(std::shared_ptr<void> memory);
/// The reduction as MPI calls it.
MPI_Op op_for(detail::Combine combine);
/// How MPI sees elements of so many bytes.
MPI_Datatype unit(size_t itemsize);
/// The greatest that a message may have.
int greatest_tag();
/// The tags above those of programs' messages are monitoredBarrier's, and those of groups that
/// come about.
constexpr int kOwnTags = 1024;
/// One word to another rank, or from one. False when the time has passed.
bool give(MPI_Comm comm, int to, int tag, uint64_t word, Clock::time_point deadline);
bool take(MPI_Comm comm, int from, int tag, uint64_t& word, Clock::time_point deadline);

}  // namespace mpi

struct ProcessGroupMPI::Impl : std::enable_shared_from_this<ProcessGroupMPI::Impl> {
  /// Takes the communicator, which reports errors by status from now on.
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
    uint64_t words[2] = {};                 // what ranks compare
    std::string own, others;                // where they differ: what each has called
    std::vector<int> counts[2], places[2];  // of an alltoall: sent, received
    enum { kWaits, kCompares, kTells, kRuns } step = kWaits;
  };
  using JobPtr = std::shared_ptr<Job>;

  int rank = 0, size = 1;
  MPI_Comm comm;
  WorkPtr submit(OperationPtr operation);
  /// Waits for the operations that are on their way, and for the thread. Also on the thread itself,
  /// in a callback.
  void stop();

 private:
  void serve();
  bool take_new();
  /// Goes on with what is under way; whether anything has.
  bool advance();
  void begin(Job& job);
  /// The next step of a job whose request has ended; whether it was the last.
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
  /// True when the job has ended, well or not.
  bool poll(const JobPtr& job);
  void fail(const JobPtr& job, const std::string& why);
  void fail_all();
  void rest();

  std::mutex mutex;  // guards the next four
  std::condition_variable changed;
  std::deque<JobPtr> arrived;
  bool ends = false;
  std::exception_ptr broken;
  std::deque<JobPtr> collectives;  // of the thread: the first one is under way
  std::vector<JobPtr> messages;
  mpi::Clock::time_point last_progress;
  detail::OwnThread thread;
};

}  // namespace torch::taper::distributed

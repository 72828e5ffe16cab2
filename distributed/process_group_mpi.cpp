#include <taper/distributed/process_group_mpi.h>

#include <algorithm>
#include <sstream>

#include <taper/distributed/operations_mpi.h>
#include <taper/framework/core/check.h>

namespace torch::taper::distributed {

using detail::Operation;
using taper::detail::concat;

namespace {

using Milliseconds = std::chrono::milliseconds;

[[noreturn]] void throw_absent(const char* what, Milliseconds limit) {
  throw DistError(concat("ProcessGroupMPI: ", what, " within ", limit.count(), " ms"));
}

/// Returns a deadline with a little time left, so that later calls of an operation can receive
/// pending messages.
mpi::Clock::time_point at_least_soon(mpi::Clock::time_point deadline) {
  return std::max(deadline, mpi::Clock::now() + Milliseconds(20));
}

/// Checks that all ranks of `ranks` are in this call with equal lists.
void meet(const std::vector<int>& ranks, int me, Milliseconds limit) {
  const auto deadline = mpi::Clock::now() + limit;
  const int tag = mpi::greatest_tag(), first = ranks[0];
  uint64_t all = ranks.size(), theirs = 0;
  for (const int r : ranks) all = detail::mix(all, static_cast<uint64_t>(r));
  if (me != first) {
    if (!mpi::give(MPI_COMM_WORLD, first, tag, all, deadline) ||
        !mpi::take(MPI_COMM_WORLD, first, tag, theirs, deadline))
      throw_absent(concat("rank ", me, " did not hear of a new group from rank ", first).c_str(),
                   limit);
    TAPER_CHECK_AS(distributed::DistError, theirs == all,
                   "ProcessGroupMPI: expected all ranks to make the same group, and "
                   "rank ",
                   me, " makes another one than rank ", first);
    return;
  }
  bool alike = true;
  for (size_t i = 1; i < ranks.size(); ++i) {
    if (!mpi::take(MPI_COMM_WORLD, ranks[i], tag, theirs, deadline))
      throw_absent(concat("rank ", ranks[i], " did not come to make a group").c_str(), limit);
    alike = alike && theirs == all;
  }
  for (size_t i = 1; i < ranks.size(); ++i)
    mpi::give(MPI_COMM_WORLD, ranks[i], tag, alike ? all : ~all, at_least_soon(deadline));
  TAPER_CHECK_AS(distributed::DistError, alike,
                 "ProcessGroupMPI: expected all ranks to make the same group, and they do not");
}

/// Returns a communicator of all ranks. Throws when the time has passed.
MPI_Comm duplicate_of_world(Milliseconds limit) {
  const auto made = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
  MPI_Request request;
  {
    const mpi::Turn turn;
    mpi::check(MPI_Comm_idup(MPI_COMM_WORLD, made.get(), &request), "MPI_Comm_idup");
  }
  if (!mpi::finish(request, mpi::Clock::now() + limit)) {
    mpi::abandon(made);
    throw_absent("not all ranks came to make the group", limit);
  }
  return *made;
}

MPI_Comm communicator_of(const std::vector<int>& ranks) {
  const mpi::Turn turn;
  MPI_Group world, part;
  MPI_Comm made;
  mpi::check(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  mpi::check(MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &part),
             "MPI_Group_incl");
  mpi::check(MPI_Comm_create_group(MPI_COMM_WORLD, part, 0, &made), "MPI_Comm_create_group");
  MPI_Group_free(&part);
  MPI_Group_free(&world);
  return made;
}

void check_ranks(const std::vector<int>& ranks, int world) {
  std::vector<bool> seen(static_cast<size_t>(world));
  for (const int r : ranks) {
    TAPER_CHECK_VALUE(r >= 0 && r < world && !seen[static_cast<size_t>(r)],
                      "ProcessGroupMPI: expected different ranks below ", world, ", got ", r);
    seen[static_cast<size_t>(r)] = true;
  }
}

}  // namespace

Handle<ProcessGroupMPI> ProcessGroupMPI::createProcessGroupMPI(std::vector<int> ranks,
                                                               Milliseconds timeout) {
  mpi::require();
  int me = 0, world = 1;
  {
    const mpi::Turn turn;
    mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &me), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(MPI_COMM_WORLD, &world), "MPI_Comm_size");
  }
  check_ranks(ranks, world);
  MPI_Comm comm = MPI_COMM_NULL;
  if (ranks.empty()) {
    comm = duplicate_of_world(timeout);
  } else {
    if (std::find(ranks.begin(), ranks.end(), me) == ranks.end()) return {};
    meet(ranks, me, timeout);
    comm = communicator_of(ranks);
  }
  auto impl = std::make_shared<Impl>(comm);
  impl->start();
  return intrusive_ptr<ProcessGroupMPI>(new ProcessGroupMPI(std::move(impl), timeout));
}

ProcessGroupMPI::ProcessGroupMPI(std::shared_ptr<Impl> impl, Milliseconds timeout)
    : Backend("mpi", impl->rank, impl->size, timeout), impl_(std::move(impl)) {}
ProcessGroupMPI::~ProcessGroupMPI() { impl_->stop(); }

// createProcessGroupMPI() counts ranks in MPI_COMM_WORLD.
intrusive_ptr<ProcessGroup> ProcessGroupMPI::make_part(const intrusive_ptr<Store>&,
                                                       const std::vector<int>& ranks, int,
                                                       Milliseconds timeout) {
  std::vector<int> in_world(ranks.size());
  {
    const mpi::Turn turn;
    MPI_Group world, own;
    mpi::check(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
    mpi::check(MPI_Comm_group(impl_->comm, &own), "MPI_Comm_group");
    mpi::check(MPI_Group_translate_ranks(own, static_cast<int>(ranks.size()), ranks.data(), world,
                                         in_world.data()),
               "MPI_Group_translate_ranks");
    MPI_Group_free(&own);
    MPI_Group_free(&world);
  }
  return createProcessGroupMPI(std::move(in_world), timeout);
}

void ProcessGroupMPI::abort() {
  const mpi::Turn turn;
  MPI_Abort(impl_->comm, 1);
}

ProcessGroup::WorkPtr ProcessGroupMPI::submit(OperationPtr operation) {
  const int most = mpi::greatest_tag() - mpi::kOwnTags;
  TAPER_CHECK_VALUE(operation->tag >= 0 && operation->tag <= most, operation->name,
                    ": expected a tag from 0 to ", most, ", got ", operation->tag);
  return impl_->submit(std::move(operation));
}

// Each rank reports to rank 0, which answers whether all have arrived.
void ProcessGroupMPI::monitoredBarrier(const BarrierOptions& options, bool wait_all) {
  if (size_ == 1) return;
  const auto time = limit(options.timeout);
  const auto deadline = mpi::Clock::now() + time;
  const uint64_t number = next_collective();
  const int tag = mpi::greatest_tag() - 1 - static_cast<int>(number % (mpi::kOwnTags - 2));
  uint64_t word = 0;
  if (rank_ != 0) {
    if (!mpi::give(impl_->comm, 0, tag, number, deadline) ||
        !mpi::take(impl_->comm, 0, tag, word, deadline))
      throw DistError(concat("monitoredBarrier: rank ", rank_, " did not hear from rank 0 within ",
                             time.count(), " ms, which may have missed another rank"));
    return;
  }
  std::vector<int> absent;
  for (int r = 1; r < size_ && (absent.empty() || wait_all); ++r)
    if (!mpi::take(impl_->comm, r, tag, word, at_least_soon(deadline))) absent.push_back(r);
  if (!absent.empty()) {
    std::ostringstream ranks;
    for (size_t i = 0; i < absent.size(); ++i) ranks << (i ? ", " : "") << absent[i];
    throw DistError(concat("monitoredBarrier: ", absent.size() == 1 ? "rank " : "ranks ",
                           ranks.str(), " did not come within ", time.count(), " ms"));
  }
  for (int r = 1; r < size_; ++r) mpi::give(impl_->comm, r, tag, number, at_least_soon(deadline));
}

}  // namespace torch::taper::distributed

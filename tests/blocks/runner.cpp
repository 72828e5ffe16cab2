#include "blocks/runner.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace torch::taper::testing {

thread_local BlockRunner* running_block = nullptr;
__attribute__((weak)) bool sees_all_accesses() { return false; }  // accesses.cpp: true

namespace {

using cuda::Access;

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

const char* verb(Access access) {
  return access == Access::kRead    ? "a read"
         : access == Access::kWrite ? "a write"
                                    : "an atomic access";
}

bool same_place(const Site& a, const Site& b) {
  return a.line == b.line &&
         (a.where == b.where ||
          std::strcmp(static_cast<const char*>(a.where), static_cast<const char*>(b.where)) == 0);
}

}  // namespace

void BlockRunner::Group::reset(int of_size) {
  *this = Group();
  size = of_size;
}

BlockRunner::BlockRunner(const BlockOptions& options)
    : options_(options), random_(options.seed), stacks_(kMostThreads), threads_(kMostThreads) {
  for (int i = 0; i < kMostThreads; ++i) {
    threads_[i].number = i;
    fibers_.push_back(std::make_unique<Fiber>(stacks_.bottom(i), Stacks::size(i),
                                              [this, i] { begin_threads(fibers_[i].get()); }));
  }
}

// ---------------------------------------------------------------------- a launch
void BlockRunner::run(const char* kernel, int blocks, int threads, void (*body)(const void*),
                      const void* arguments, size_t nbytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  TAPER_CHECK(threads % kWarp == 0 && threads <= kMostThreads,
              "blocks: expected whole warps of at most ", kMostThreads, " threads, got ", threads);
  kernel_ = kernel;
  body_ = body;
  arguments_ = arguments;
  arguments_nbytes_ = nbytes;
  size_ = threads;
  blocks_ = 1 + static_cast<int>(random_() % std::min({blocks, options_.most_blocks, kMostBlocks}));
  error_ = nullptr;
  abandons_ = false;
  watch_.begin_launch();
  for (int k = 0, first = static_cast<int>(random_() % blocks_); k < blocks_ && !abandons_; ++k)
    run_block((first + k) % blocks_);
  if (error_) std::rethrow_exception(error_);
}

void BlockRunner::run_block(int block) {
  block_ = block;
  written_.reset();
  block_group_.reset(size_);
  ready_.clear();
  for (int i = 0; i < size_; ++i) {
    if (i % kWarp == 0) warps_[i / kWarp].reset(kWarp);
    threads_[i].has_left = false;
    threads_[i].wait = Wait();
    ready_.push_back(i);
  }
  for (begin_all(); !next_.empty() && !abandons_;) {
    ready_.swap(next_);
    next_.clear();
    run_ready();
  }
  if (!abandons_)
    for (int i = 0; i < size_ && !abandons_; ++i)
      if (!threads_[i].has_left)  // others of its warp or block wait for something else
        fail("expected all threads to wait at one place, got only ", name_of(threads_[i]));
  if (abandons_) abandon_all();
}

/// A thread that waits for nobody costs no switch: the next one begins on the same stack.
void BlockRunner::begin_all() {
  std::shuffle(ready_.begin(), ready_.end(), random_);
  begun_ = 0;
  next_.clear();
  for (size_t i = 0; begun_ < ready_.size() && !abandons_; ++i) run_on(*fibers_[i]);
}

/// The work of every fiber: threads, until one of them waits, which keeps it.
void BlockRunner::begin_threads(Fiber* fiber) {
  while (begun_ < ready_.size() && !abandons_) {
    Thread& thread = threads_[ready_[begun_++]];
    thread.fiber = fiber;
    continues(thread);
    run_thread();
  }
}

void BlockRunner::run_ready() {
  std::shuffle(ready_.begin(), ready_.end(), random_);
  for (int i : ready_) {
    continues(threads_[i]);
    run_on(*current_->fiber);
    if (abandons_) return;
  }
}

void BlockRunner::continues(Thread& thread) {
  current_ = &thread;
  now_ =
      Use(Moment{block_, thread.number, block_group_.waits, warps_[thread.number / kWarp].waits});
}

void BlockRunner::run_on(Fiber& fiber) {
  running_block = this;
  fiber.resume();
  running_block = nullptr;
}

void BlockRunner::run_thread() {
  try {
    body_(arguments_);
  } catch (const Abandoned&) {
  } catch (...) {
    report(std::current_exception());
    abandons_ = true;
  }
  leave(*current_);
}

void BlockRunner::leave(Thread& thread) {
  thread.has_left = true;
  if (abandons_) return;
  for (Group* group : {&warps_[thread.number / kWarp], &block_group_}) {
    group->left = &thread;
    if (group->arrived > 0) return check_arrival(*group, *group->first);
  }
}

/// Threads that wait throw through their frames. Those that have not begun never do.
void BlockRunner::abandon_all() {
  for (int i = 0; i < size_; ++i) {
    if (threads_[i].has_left || threads_[i].wait.kind == Kind::kNone) continue;
    current_ = &threads_[i];
    current_->fiber->resume();
  }
}

// ---------------------------------------------------------------------- waits
void BlockRunner::check_arrival(const Group& group, const Thread& thread) {
  if (group.left)
    return fail("expected all threads to wait, got ", name_of(thread), " while thread ",
                group.left->number, " has left");
  const Wait &a = group.first->wait, &b = thread.wait;
  if (a.kind != b.kind || !same_place(a.here, b.here) || !same_place(a.inside, b.inside))
    fail("expected all threads to wait at one place, got ", name_of(*group.first), " and ",
         name_of(thread));
}

void BlockRunner::arrive(Group& group, int first_thread, const Wait& wait) {
  Thread& thread = *current_;
  thread.wait = wait;
  if (group.arrived++ == 0) group.first = &thread;
  check_arrival(group, thread);
  if (!abandons_) {
    if (group.arrived == group.size) release(group, first_thread);
    thread.fiber->leave();
  }
  thread.wait = Wait();
  if (abandons_) throw Abandoned();
}

void BlockRunner::release(Group& group, int first_thread) {
  for (int i = 0; i < group.size; ++i) next_.push_back(first_thread + i);
  (current_->wait.kind == Kind::kShuffle ? group.shuffles : group.waits)++;
  group.arrived = 0;
}

void BlockRunner::wait(cuda::Waiters waiters, const cuda::Here& here, const cuda::Here& inside) {
  const bool all = waiters == cuda::Waiters::kBlock;
  const int first = all ? 0 : current_->number / kWarp * kWarp;
  arrive(all ? block_group_ : warps_[first / kWarp], first,
         {all ? Kind::kBlock : Kind::kWarp, Site(here), Site(inside)});
}

// What is read stays until all have read it: it is written again in the shuffle after the next, to
// which nobody comes before all are in the next.
void BlockRunner::shuffle(void* v, size_t nbytes, int from, const cuda::Here& here) {
  const int warp = current_->number / kWarp, lane = current_->number % kWarp;
  auto& values = shuffled_[warp][warps_[warp].shuffles % 2];
  TAPER_CHECK(nbytes <= sizeof values[0] && from >= 0 && from < kWarp,
              "blocks: expected a lane of the warp and a value of at most ", sizeof values[0],
              " bytes, got lane ", from, " and ", nbytes, " bytes");
  std::memcpy(values[lane], v, nbytes);
  arrive(warps_[warp], warp * kWarp, {Kind::kShuffle, Site(here), Site(here)});
  std::memcpy(v, values[from], nbytes);
}

// ---------------------------------------------------------------------- memory
void BlockRunner::check_slots_written(const char* p, size_t nbytes, Access access,
                                      const Site& site) {
  const size_t at = static_cast<size_t>(p - slots_[block_][0].bytes);
  if (at >= written_.size()) return;
  for (size_t i = at; i < std::min(at + nbytes, written_.size()); ++i) {
    if (access == Access::kWrite) {
      written_[i] = true;
    } else if (!written_[i]) {
      return fail("expected shared memory to be written before it is read, got ", verb(access),
                  " by ", name_of(now_), " at ", site.str());
    }
  }
}

void BlockRunner::fail_unaligned(size_t alignment, Access access, const Site& site) {
  running_block = nullptr;
  fail("expected an address that is a multiple of ", alignment, ", got ", verb(access), " by ",
       name_of(now_), " at ", site.str());
  running_block = this;
}

void BlockRunner::note(const void* p, size_t nbytes, Access access, const Site& site) {
  running_block = nullptr;  // what follows is not the kernel's
  check_slots_written(static_cast<const char*>(p), nbytes, access, site);
  const Use use = now_.by(access, site);
  if (const Use* other = watch_.touch(p, nbytes, use))
    fail("expected a barrier between the accesses of two threads, got ", verb(other->access()),
         " by ", name_of(*other), " at ", other->site().str(), " and ", verb(access), " by ",
         name_of(use), " at ", site.str());
  running_block = this;
}

void BlockRunner::touch(const void* p, size_t nbytes, Access access, const cuda::Here& here) {
  touch(p, nbytes, access, Site(here));
}

// ---------------------------------------------------------------------- errors
void BlockRunner::report(std::exception_ptr error) {
  if (!error_) error_ = std::move(error);
}

/// Ends the launch: threads are abandoned when they next wait.
template <class... P>
void BlockRunner::fail(const P&... words) {
  abandons_ = true;
  try {
    TAPER_CHECK(false, demangled(kernel_.c_str()), ": ", words...);
  } catch (...) {
    report(std::current_exception());
  }
}

std::string BlockRunner::name_of(const Use& use) const {
  return detail::concat("thread ", use.thread(), " of block ", use.block());
}

std::string BlockRunner::name_of(const Thread& thread) const {
  return detail::concat("thread ", thread.number, " of block ", block_, " ", place_of(thread.wait));
}

std::string BlockRunner::place_of(const Wait& wait) const {
  const char* const what = wait.kind == Kind::kShuffle ? "in a shuffle at "
                           : wait.kind == Kind::kWarp  ? "at the warp's barrier at "
                                                       : "at the block's barrier at ";
  const std::string inside =
      same_place(wait.here, wait.inside) ? "" : " (" + wait.inside.str() + ")";
  return what + wait.here.str() + inside;
}

// ---------------------------------------------------------------------- where it is installed
/// Any size that fits is right; which one depends on the width alone, as on a GPU.
int BlockRunner::team_for(int64_t width, int usual) {
  if (!options_.other_teams) return usual;
  constexpr int kTeams[] = {32, 32, 256, 32, 64, 128, 1024, 32};
  const uint64_t mixed = (static_cast<uint64_t>(width) + options_.seed) * 0x9E3779B97F4A7C15u;
  return usual == 1 && mixed >> 60 < 12 ? 1 : kTeams[mixed >> 40 & 7];
}

cuda::ThreadPlace BlockRunner::place() const { return {block_, blocks_, current_->number, size_}; }

FiberBlocks::FiberBlocks(const BlockOptions& options)
    : runner_(std::make_unique<BlockRunner>(options)), before_(cuda::block_runner) {
  cuda::block_runner = runner_.get();
}
FiberBlocks::~FiberBlocks() { cuda::block_runner = before_; }

namespace {
[[maybe_unused]] const std::unique_ptr<FiberBlocks> for_all = [] {
  const char* const seed = std::getenv("TAPER_TEST_BLOCKS");
  if (!seed || !*seed) return std::unique_ptr<FiberBlocks>();
  BlockOptions options;
  options.seed = std::strtoull(seed, nullptr, 10);
  return std::make_unique<FiberBlocks>(options);
}();
}  // namespace

}  // namespace torch::taper::testing

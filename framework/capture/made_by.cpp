#include <taper/framework/capture/made_by.h>

#include <algorithm>
#include <unordered_map>

#include <taper/framework/capture/capture.h>
#include <taper/framework/kernel/kernel_info.h>

namespace torch::taper::detail {
namespace {

// Limits the launches that are searched: ops save tensors that were made shortly before.
constexpr size_t kMostSteps = 256;
// Limits the parts. Each part costs one pass over memory and saves one that backward reads.
constexpr size_t kMostParts = 4;

Bytes bytes_of(const Access& a) {
  int64_t first = 0, last = 0;
  for (int64_t d = 0; d < a.sizes.size(); ++d)
    (a.strides[d] < 0 ? first : last) += std::max<int64_t>(a.sizes[d] - 1, 0) * a.strides[d];
  const auto item = static_cast<int64_t>(a.itemsize);
  const char* const data = static_cast<const char*>(a.data);
  return {data + first * item, data + (last + 1) * item};
}

bool writes_there(const std::vector<Access>& accesses, const Bytes& bytes) {
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const Access& a) { return a.writes && bytes_of(a).meets(bytes); });
}

int64_t numel_of(const Access& a) {
  int64_t numel = 1;
  for (int64_t d = 0; d < a.sizes.size(); ++d) numel *= a.sizes[d];
  return numel;
}

/// Returns whether the elements are contiguous in row-major order.
bool is_dense(const Access& a) {
  int64_t step = 1;
  for (int64_t d = a.sizes.size() - 1; d >= 0; --d) {
    if (a.sizes[d] != 1 && a.strides[d] != step) return false;
    step *= a.sizes[d];
  }
  return true;
}

/// Finds the launches behind a tensor, newest first.
class Search {
 public:
  Search(const Capture& capture, const IsKept& is_kept)
      : steps_(capture.steps()), watched_(capture.watched()), is_kept_(is_kept) {}

  /// Returns the last step before `end` that wrote these bytes. Returns nothing if there is none,
  /// if it may not be repeated, or if it wrote more than its first result there.
  std::optional<size_t> maker(const Bytes& wanted, size_t end) const;
  /// Returns the first result of the step.
  const Access& result(size_t step) const { return watched_[step].accesses[0]; }
  /// Adds the step as a part, after the steps that make operands which are not kept. Returns false
  /// if an operand cannot be made.
  bool add(size_t step, MadeBy& made);

 private:
  bool add_operand(size_t step, const Access& a, MadeBy& made, MadeBy::Part& part);

  const std::vector<LaunchList::Step>& steps_;
  const std::vector<WatchedLaunch>& watched_;  ///< of each step
  const IsKept& is_kept_;
  std::unordered_map<size_t, size_t> parts_;  ///< by step
};

std::optional<size_t> Search::maker(const Bytes& wanted, size_t end) const {
  const size_t first = steps_.size() > kMostSteps ? steps_.size() - kMostSteps : 0;
  for (size_t i = end; i-- > first;) {
    if (!writes_there(watched_[i].accesses, wanted)) continue;
    if (!steps_[i].launch) return {};
    const cpu::KernelInfo* const kernel = steps_[i].launch->info;
    const Access& y = result(i);
    const bool whole = y.writes && is_dense(y) && bytes_of(y).holds(wanted);
    if (kernel && kernel->elsewhere && whole) return i;
    return {};
  }
  return {};
}

bool Search::add_operand(size_t step, const Access& a, MadeBy& made, MadeBy::Part& part) {
  const Bytes bytes = bytes_of(a);
  if (is_kept_(a.data) && !is_written({bytes}, step)) {
    made.inputs.push_back(bytes);
    return true;
  }
  const std::optional<size_t> before = maker(bytes, step);
  if (!before || result(*before).data != a.data || !add(*before, made)) return false;
  part.from.emplace_back(a.data, parts_.at(*before));
  return true;
}

bool Search::add(size_t step, MadeBy& made) {
  if (parts_.count(step)) return true;
  if (made.parts.size() >= kMostParts) return false;
  const std::vector<Access>& all = watched_[step].accesses;
  MadeBy::Part part{steps_[step].name, steps_[step].launch, {}, {}, numel_of(all[0])};
  for (const Access& a : all)
    if (a.writes)
      part.results.push_back(bytes_of(a).nbytes());
    else if (!add_operand(step, a, made, part))
      return false;
  if (made.parts.size() >= kMostParts) return false;
  parts_[step] = made.parts.size();
  made.parts.push_back(std::move(part));
  return true;
}

}  // namespace

bool is_written(const std::vector<Bytes>& inputs, size_t first) {
  const std::vector<WatchedLaunch>& all = host_capture()->watched();
  for (size_t i = first; i < all.size(); ++i)
    for (const Bytes& bytes : inputs)
      if (writes_there(all[i].accesses, bytes)) return true;
  return false;
}

int64_t MadeBy::computed() const {
  int64_t all = 0;
  for (const Part& part : parts) all += part.numel;
  return all;
}

std::optional<MadeBy> how_made(const Tensor& t, const IsKept& is_kept) {
  const Capture* const capture = host_capture();
  if (!capture || t.numel() == 0 || !t.is_contiguous()) return {};
  Search search(*capture, is_kept);
  const char* const data = static_cast<const char*>(t.data_ptr());
  const std::optional<size_t> last =
      search.maker({data, data + t.nbytes()}, capture->steps().size());
  if (!last) return {};
  const Access& y = search.result(*last);
  if (y.data != t.data_ptr() || numel_of(y) != t.numel() || y.dtype != t.scalar_type()) return {};
  MadeBy made{capture->steps()[*last].launch.get(), {}, {}};
  if (!search.add(*last, made)) made.parts.clear(), made.inputs.clear();
  return made;
}

void make_again(const MadeBy& made, const Tensor& to) {
  std::vector<std::vector<Tensor>> results;
  for (const MadeBy::Part& part : made.parts) {
    std::vector<void*> where;
    std::vector<Tensor>& own = results.emplace_back();
    for (const int64_t nbytes : part.results) {
      const bool is_last = where.empty() && results.size() == made.parts.size();
      own.push_back(is_last ? to : make_tensor({nbytes}, kByte, Device()));
      where.push_back(own.back().data_ptr());
    }
    std::vector<cpu::Moved> operands;
    for (const auto& [from, number] : part.from)
      operands.push_back({from, results[number][0].data_ptr()});
    const auto launch = part.launch->info->elsewhere(*part.launch, where.data(), operands);
    make_launch(part.name, Device(), std::move(*launch));
  }
}

}  // namespace torch::taper::detail

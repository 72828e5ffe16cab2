#include <taper/func/levels.h>

#include <algorithm>
#include <atomic>

#include <taper/framework/autograd/transform.h>
#include <taper/framework/core/check.h>
#include <taper/framework/core/shape.h>
#include <taper/func/rules.h>
#include <taper/func/tape_frame.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

// ---------------------------------------------------------------- levels
namespace torch::taper::func::detail {

Levels& levels() {
  static thread_local Levels all;
  return all;
}
LevelId next_level_id() {
  static std::atomic<LevelId> last{0};
  return ++last;
}

const Level* Levels::find(LevelId id) const {
  for (const Level& level : running)
    if (level.id == id) return &level;
  return nullptr;
}
const Level* Levels::last_batch(LevelId limit) const {
  for (auto level = running.rbegin(); level != running.rend(); ++level)
    if (level->is_batch() && level->id < limit) return &*level;
  return nullptr;
}

LevelScope::LevelScope(int64_t batch_size, Randomness randomness) : id_(next_level_id()) {
  Levels& all = levels();
  if (all.running.empty()) {
    all.guard.emplace(interpreter());
    autograd::transform = &transform();
  }
  all.running.push_back({id_, batch_size, randomness});
}
LevelScope::~LevelScope() {
  Levels& all = levels();
  all.running.pop_back();
  if (!all.running.empty()) return;
  autograd::transform = nullptr;
  all.guard.reset();
}

ModesAgain::ModesAgain() : guard_(interpreter()) {}

// ---------------------------------------------------------------- batches
void Note::check_elements(const char* op) const {
  TAPER_CHECK(batch_level == 0, op,
              ": expected a tensor with elements, got one that stands for a batch. Inside of vmap "
              "the control flow cannot depend on values: use where() instead. (vmap: It looks like "
              "you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
              "Tensor, please try to rewrite what you're doing with other operations.)");
}

Note& make_note(const Tensor& t) {
  auto& note = taper::detail::extra_of(t.impl()).note;
  if (!note) note = std::make_unique<Note>();
  return static_cast<Note&>(*note);
}

LevelId batch_level(const Tensor& t) {
  const Note* note = note_of(t);
  if (!note || note->batch_level == 0) return 0;
  TAPER_CHECK(levels().find(note->batch_level),
              "vmap: got a tensor that stands for a batch of a vmap that has ended. Return it from "
              "the function instead of keeping it");
  return note->batch_level;
}

namespace {

void set_example_sizes(const Tensor& t, const TensorImpl& batch) {
  TensorImpl& impl = t.impl();
  const IntArrayRef sizes = batch.sizes, strides = batch.strides;
  impl.sizes = sizes.slice(1);
  impl.strides = strides.slice(1);
  impl.data = batch.data;
  impl.offset = batch.offset;
  impl.update_geometry();
}

/// Returns a tensor expanded by a first dimension, without a history of its own.
Tensor expanded(const Tensor& t, int64_t count) {
  return t.unsqueeze(0).expand(joined({count}, t.sizes()));
}

}  // namespace

std::vector<int64_t> joined(IntArrayRef a, IntArrayRef b) {
  std::vector<int64_t> all = a.vec();
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

Tensor stand_in(const Tensor& batch, LevelId level) {
  if (!batch.defined()) return batch;
  // The last level is the outermost one.
  if (const LevelId later = batch_level(batch); later > level)
    return stand_in(stand_in(note_of(batch)->batch.movedim(1, 0), level), later);
  Tensor t = taper::detail::share_data(batch.impl());
  set_example_sizes(t, batch.impl());
  Note& note = make_note(t);
  note.batch_level = level;
  note.batch = batch;
  return t;
}

void refresh(const Tensor& t) {
  const Note* note = note_of(t);
  if (!note || note->batch_level == 0) return;
  refresh(note->batch);
  set_example_sizes(t, note->batch.impl());
}

Tensor batch_of(const Tensor& t, const Level& level) {
  const LevelId last = batch_level(t);
  if (last == level.id) return note_of(t)->batch;
  if (last < level.id) {
    const Tensor full = with_full_tangents_in_batch(t);
    return batch_level(full) > last ? batch_of(full, level) : expanded(t, level.batch_size);
  }
  return stand_in(batch_of(note_of(t)->batch, level).movedim(0, 1), last);
}

Tensor full_batch_of(Tensor t, const std::vector<Level>& all) {
  for (auto level = all.rbegin(); level != all.rend(); ++level)
    if (level->is_batch()) t = batch_of(t, *level);
  return t;
}

Tensor stand_in_for_full(Tensor batch, const std::vector<Level>& all) {
  for (const Level& level : all)
    if (level.is_batch()) batch = stand_in(batch, level.id);
  return batch;
}

// ---------------------------------------------------------------- tangents
void take_tangents_of_base(const Tensor& t) {
  if (!t.defined() || !t.impl().view_base || note_of(t)) return;
  const Tensor base(t.impl().view_base);
  const Note* note = note_of(base);
  if (!note || note->batch_level != 0) return;
  for (const auto& [level, tangent] : note->tangents)
    set_tangent(
        t, level,
        tangent.as_strided(t.sizes(), t.strides(),
                           tangent.storage_offset() + t.storage_offset() - base.storage_offset()));
}

Tensor tangent_of(const Tensor& t, LevelId level) {
  take_tangents_of_base(t);
  const Note* note = note_of(t);
  if (!note) return Tensor();
  if (note->batch_level != 0) {
    const Tensor tangent = tangent_of(note->batch, level);
    return tangent.defined() ? stand_in(tangent, note->batch_level) : tangent;
  }
  for (const auto& [id, tangent] : note->tangents)
    if (id == level) return tangent;
  return Tensor();
}

void drop_tangent(const Tensor& t, LevelId level) {
  Note* note = note_of(t);
  if (!note) return;
  if (note->batch_level != 0) return drop_tangent(note->batch, level);
  std::erase_if(note->tangents, [&](const auto& each) { return each.first == level; });
}

void set_tangent(const Tensor& t, LevelId level, Tensor tangent) {
  if (!t.defined() || !isFloatingOrComplexType(t.scalar_type())) return;
  drop_tangent(t, level);
  if (!tangent.defined()) return;
  if (tangent.scalar_type() != t.scalar_type()) tangent = tangent.to(t.scalar_type());
  if (tangent.sizes() != t.sizes()) tangent = tangent.expand(t.sizes());
  make_note(t).tangents.emplace_back(level, std::move(tangent));
}

namespace {

/// Returns the latest running level below `limit` of a list in the note, 0 if none.
template <class List>
LevelId latest(const Tensor& t, LevelId limit, List Note::*list) {
  const Note* note = note_of(t);
  if (!note) return 0;
  if (note->batch_level != 0) return latest(note->batch, limit, list);
  LevelId last = 0;
  for (const auto& [id, value] : note->*list)
    if (id < limit && id > last && levels().find(id)) last = id;
  return last;
}

}  // namespace

LevelId tangent_level(const Tensor& t, LevelId limit) { return latest(t, limit, &Note::tangents); }
LevelId series_level(const Tensor& t, LevelId limit) { return latest(t, limit, &Note::series); }

Tensor without_history(const Tensor& t, LevelId limit) {
  Tensor y = taper::detail::share_data(t.impl());
  if (const Note* note = note_of(t))
    for (const auto& [id, tangent] : note->tangents)
      if (id < limit && levels().find(id)) make_note(y).tangents.emplace_back(id, tangent);
  return y;
}

Tensor make_dual(const Tensor& t, const Tensor& tangent, LevelId level) {
  if (const LevelId batch = batch_level(t)) {
    const Level& of = *levels().find(batch);
    return stand_in(make_dual(note_of(t)->batch, batch_of(tangent, of), level), batch);
  }
  const Tensor x = resolved_in_frames(t);
  if (batch_level(x)) return make_dual(x, tangent, level);
  Tensor y =
      GradMode::is_enabled() && x.requires_grad() ? x.view_as(x) : without_history(x, kAllLevels);
  set_tangent(y, level, tangent);
  return y;
}

LevelId batch_level_of_tangents(const Tensor& t, LevelId limit) {
  const Note* note = note_of(t);
  if (!note || note->batch_level != 0) return 0;
  LevelId last = 0;
  for (const auto& [id, tangent] : note->tangents)
    if (id < limit && levels().find(id))
      last = std::max({last, batch_level(tangent), batch_level_of_tangents(tangent, limit)});
  return last;
}

Tensor with_full_tangents(const Tensor& t) {
  const LevelId last = batch_level_of_tangents(t, kAllLevels);
  if (last == 0) return t;
  const Level level = *levels().find(last);
  const auto tangents = note_of(t)->tangents;
  const Tensor batch = [&] {
    const Temporarily<bool> off(levels().off, true);
    return expanded(t, level.batch_size);
  }();
  for (const auto& [id, tangent] : tangents)
    if (levels().find(id)) set_tangent(batch, id, batch_of(with_full_tangents(tangent), level));
  return stand_in(with_full_tangents(batch), last);
}

Tensor with_full_tangents_in_batch(const Tensor& t) {
  const LevelId level = batch_level(t);
  return level ? stand_in(with_full_tangents_in_batch(note_of(t)->batch), level)
               : with_full_tangents(t);
}

}  // namespace torch::taper::func::detail

// ---------------------------------------------------------------- frames
namespace torch::taper::func::detail {

TapeFrame::TapeFrame()
    : outer_(levels().frame),
      start_(next_level_id()),
      outer_limit_(levels().limit),
      limit_(std::min(start_, outer_limit_)),
      recorded_(GradMode::is_enabled()),
      first_node_(autograd::next_sequence_nr()) {}

TapeFrame::Scope::Scope(TapeFrame& frame)
    : frame_(levels().frame, &frame), limit_(levels().limit, kAllLevels), recording_(true) {}

Tensor TapeFrame::leaf(const Tensor& x) {
  const auto found = leaves_.find(&x.impl());
  if (found != leaves_.end()) return found->second.leaf;
  const Temporarily<bool> off(levels().off, true);
  Tensor y;
  if (recorded_ && x.requires_grad()) {
    y = x.view_as(x);
  } else {
    y = taper::detail::share_data(x.impl());
    y.requires_grad_();
  }
  leaves_.emplace(&x.impl(), Leaf{x, y});
  return y;
}

Tensor TapeFrame::resolved(const Tensor& x) { return tangent_level(x, limit_) ? leaf(x) : x; }

bool waits_in_frames(const Tensor& x) {
  const Note* note = note_of(x);
  if (!note) return false;
  if (note->batch_level != 0) return waits_in_frames(note->batch);
  for (TapeFrame* f = levels().frame; f; f = f->outer()) {
    if (series_level(x, f->limit()))
      throw NotImplementedError(
          "func::grad and vjp inside of func::jet are not supported: use jet "
          "inside of grad");
    if (tangent_level(x, f->limit())) return true;
  }
  return false;
}

Tensor resolved_in_frames(const Tensor& x) {
  if (!waits_in_frames(x)) return x;
  if (const LevelId batch = batch_level(x))
    return stand_in(resolved_in_frames(note_of(x)->batch), batch);
  Tensor y = with_full_tangents(x);
  if (batch_level(y)) return resolved_in_frames(y);
  std::vector<TapeFrame*> frames;
  for (TapeFrame* f = levels().frame; f; f = f->outer()) frames.push_back(f);
  for (auto f = frames.rbegin(); f != frames.rend(); ++f) y = (*f)->resolved(y);
  return y;
}

bool TapeFrame::has_duals() const {
  return std::any_of(leaves_.begin(), leaves_.end(), [&](const auto& each) {
    return tangent_level(each.second.source, limit_) != 0;
  });
}

bool TapeFrame::leads_outside(const variable_list& results) const {
  std::vector<const TensorImpl*> own;
  for (const auto& [source, leaf] : leaves_)
    if (!leaf.leaf.grad_fn()) own.push_back(&leaf.leaf.impl());
  const auto is_outside = [&](const Tensor& leaf) {
    return std::find(own.begin(), own.end(), &leaf.impl()) == own.end();
  };
  return any_leaf(results, is_outside, first_node_);
}

std::vector<LevelId> TapeFrame::levels_of_duals() const {
  std::vector<LevelId> found;
  for (const auto& level : levels().running)
    if (!level.is_batch() && level.id < limit_) found.push_back(level.id);
  std::reverse(found.begin(), found.end());
  return found;
}

namespace {

/// Throws unless gradients without a history are zeros.
void check_linear(const variable_list& y, const variable_list& leaves, const variable_list& g) {
  const bool all_recorded = std::all_of(
      g.begin(), g.end(), [](const Tensor& t) { return !t.defined() || t.requires_grad(); });
  if (all_recorded) return;
  variable_list ones;
  for (const Tensor& t : y) ones.push_back(ones_like(t.detach()));
  const variable_list values = autograd::grad(y, leaves, ones, true, false, true);
  for (size_t i = 0; i < g.size(); ++i)
    if (g[i].defined() && !g[i].requires_grad() && values[i].defined())
      if (values[i].ne(0).any().item<bool>())
        throw NotImplementedError(taper::detail::concat(
            "func::jvp: the derivative of ", y[0].grad_fn()->name(),
            " is not differentiable itself, so that it has no tangent. Use func::vjp"));
}

}  // namespace

variable_list along(const variable_list& results, const variable_list& leaves,
                    const variable_list& tangents, bool create_graph) {
  variable_list y, u, all(results.size());
  std::vector<size_t> of;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || !results[i].requires_grad()) continue;
    of.push_back(i);
    y.push_back(results[i]);
    // Any u will do, but a derivative may take its logarithm.
    u.push_back(ones_like(results[i].detach()).requires_grad_());
  }
  if (y.empty()) return all;
  const variable_list g = autograd::grad(y, leaves, u, true, true, true);
  check_linear(y, leaves, g);
  variable_list linear, t;
  for (size_t i = 0; i < g.size(); ++i) {
    if (!g[i].defined() || !g[i].requires_grad()) continue;
    linear.push_back(g[i]);
    t.push_back(tangents[i]);
  }
  if (linear.empty()) return all;
  const variable_list d = autograd::grad(linear, u, t, true, create_graph, true);
  for (size_t i = 0; i < d.size(); ++i) all[of[i]] = d[i];
  return all;
}

void TapeFrame::finish(const std::vector<Tensor*>& results, bool keep_history) {
  struct Tangent {
    size_t of;
    LevelId level;
    size_t value;
  };
  variable_list all;
  for (const Tensor* t : results) all.push_back(*t);
  std::vector<Tangent> tangents;
  {
    const Temporarily<bool> off(levels().off, true);
    const AutoGradMode recording(true);
    for (const LevelId level : levels_of_duals()) {
      variable_list at, t;
      for (const auto& [source, each] : std::unordered_map(leaves_)) {
        const Tensor tangent = tangent_of(each.source, level);
        if (!tangent.defined()) continue;
        at.push_back(each.leaf);
        t.push_back(tangent_level(tangent, level) ? leaf(tangent) : tangent);
      }
      if (at.empty()) continue;
      const variable_list d = along(all, at, t, true);
      for (size_t i = 0; i < d.size(); ++i) {
        if (!d[i].defined()) continue;
        tangents.push_back({i, level, all.size()});
        all.push_back(d[i]);
      }
    }
    if (!keep_history)
      for (Tensor& t : all)
        if (t.defined() && t.requires_grad()) t = taper::detail::share_data(t.impl());
  }
  for (const Tangent& t : tangents) set_tangent(all[t.of], t.level, all[t.value]);
  for (size_t i = 0; i < results.size(); ++i) *results[i] = all[i];
}

}  // namespace torch::taper::func::detail

#include <taper/framework/random/generator_states.h>
#include <taper/framework/random/local_generators.h>
#include <taper/framework/random/random.h>

#include <taper/framework/capture/capture.h>
#include <taper/framework/runtime/devices.h>

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

namespace torch::taper {
namespace {

/// Describes the bytes of get_state(), in PyTorch's layout.
struct StateBytes {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  uint64_t words[Mt19937::kWords];
  double normal_x;  // no longer used
  double normal_y;  // the second double of a pair
  double normal_rho;
  int32_t normal_is_valid;
  int32_t padding;
  float next_float;
  bool next_float_is_valid;
  unsigned char padding_at_end[3];
};
static_assert(sizeof(StateBytes) == 5056);
// Is the size without the waiting float, as PyTorch wrote it before 1.6.
constexpr size_t kLegacyStateBytes = 5048;

}  // namespace

// ---------------------------------------------------------------- engine
Mt19937::Mt19937(uint64_t seed) : seed_(seed) {
  words_[0] = static_cast<uint32_t>(seed);
  for (uint32_t j = 1; j < kWords; ++j)
    words_[j] = 1812433253u * (words_[j - 1] ^ (words_[j - 1] >> 30)) + j;
}

bool Mt19937::set_state(uint64_t seed, int32_t left, uint64_t next, const uint64_t* words) {
  const bool fresh = left == 1 && next <= kWords;
  const bool within =
      left > 1 && left <= kWords && next + static_cast<uint64_t>(left) - 1 == kWords;
  if (!fresh && !within) return false;
  seed_ = seed;
  left_ = left;
  next_ = static_cast<uint32_t>(next);
  for (int i = 0; i < kWords; ++i) words_[i] = static_cast<uint32_t>(words[i]);
  return true;
}

// ---------------------------------------------------------------- generator
namespace {

// Waits for the draws that are queued on a device, before its generator is read or changed.
void finish_draws(Device device) {
  detail::check_not_capturing("a generator's state or seed", device);
  if (device.is_cuda()) cuda::synchronize(device.index());
}

/// Waits for queued draws, and returns a lock that delays later ones. The CPU draws at the call,
/// under a lock that the caller holds.
std::unique_lock<std::mutex> after_draws(GeneratorImpl& g) {
  finish_draws(g.device());
  return g.device().is_cpu() ? std::unique_lock<std::mutex>()
                             : std::unique_lock<std::mutex>(g.drawing());
}

}  // namespace

CPUGeneratorImpl::CPUGeneratorImpl(uint64_t seed, Device device)
    : GeneratorImpl(device), engine_(seed) {}

void CPUGeneratorImpl::set_current_seed(uint64_t seed) {
  next_float_.reset();
  next_double_.reset();
  engine_ = Mt19937(seed);
}

uint64_t CPUGeneratorImpl::seed() {
  const uint64_t seed = detail::getNonDeterministicRandom();
  set_current_seed(seed);
  return seed;
}

Tensor CPUGeneratorImpl::get_state() const {
  StateBytes s{};
  s.seed = engine_.seed();
  s.left = engine_.left();
  s.seeded = 1;
  s.next = engine_.next();
  for (int i = 0; i < Mt19937::kWords; ++i) s.words[i] = engine_.words()[i];
  s.normal_y = next_double_.value_or(0);
  s.normal_is_valid = next_double_.has_value();
  s.next_float = next_float_.value_or(0);
  s.next_float_is_valid = next_float_.has_value();
  Tensor state = detail::make_tensor(static_cast<int64_t>(sizeof s), kByte, Device());
  std::memcpy(state.data_ptr(), &s, sizeof s);
  return state;
}

void CPUGeneratorImpl::set_state(const Tensor& state) {
  TAPER_CHECK_TYPE(state.defined() && state.scalar_type() == kByte && state.is_cpu(),
                   "RNG state must be a torch.ByteTensor");
  const size_t nbytes = state.nbytes();
  TAPER_CHECK(nbytes == kLegacyStateBytes || nbytes == sizeof(StateBytes),
              "Expected either a CPUGeneratorImplStateLegacy of size ", kLegacyStateBytes,
              " or a CPUGeneratorImplState of size ", sizeof(StateBytes),
              " but found the input RNG state size to be ", nbytes);
  StateBytes s{};
  const Tensor bytes = state.contiguous();
  std::memcpy(&s, bytes.data_ptr(), nbytes);
  unsigned char float_is_valid;  // read as a byte: a foreign file may hold any value
  std::memcpy(&float_is_valid, &s.next_float_is_valid, 1);
  Mt19937 engine;
  TAPER_CHECK(s.seeded == 1 && engine.set_state(s.seed, s.left, s.next, s.words),
              "Invalid mt19937 state");
  engine_ = engine;
  next_double_ = s.normal_is_valid ? optional<double>(s.normal_y) : nullopt;
  next_float_ = float_is_valid ? optional<float>(s.next_float) : nullopt;
}

void CPUGeneratorImpl::copy_numbers(const CPUGeneratorImpl& from) {
  engine_ = from.engine_;
  next_float_ = from.next_float_;
  next_double_ = from.next_double_;
  recorded_draws_ = from.recorded_draws_;
}

intrusive_ptr<GeneratorImpl> CPUGeneratorImpl::clone() const {
  auto* copy = new CPUGeneratorImpl(0, device());
  copy->copy_numbers(*this);
  return intrusive_ptr<GeneratorImpl>(copy);
}

void Generator::set_current_seed(uint64_t seed) {
  const auto lock = after_draws(impl());
  impl().set_current_seed(seed);
}
uint64_t Generator::seed() {
  const auto lock = after_draws(impl());
  return impl().seed();
}
Tensor Generator::get_state() const {
  const auto lock = after_draws(impl());
  return impl().get_state();
}
void Generator::set_state(const Tensor& state) {
  const auto lock = after_draws(impl());
  impl().set_state(state);
}
Generator Generator::clone() const {
  const auto lock = after_draws(impl());
  return Generator(impl().clone());
}

// ---------------------------------------------------------------- the default
namespace detail {
namespace {
thread_local LocalGenerators* local_generators = nullptr;
}

LocalGenerators::LocalGenerators(uint64_t seed)
    : seed_(seed), before_(std::exchange(local_generators, this)) {}
LocalGenerators::~LocalGenerators() { local_generators = before_; }
LocalGenerators* LocalGenerators::current() { return local_generators; }

const Generator& LocalGenerators::of(Device device) {
  Generator& g = generators_[device.is_cpu() ? DeviceIndex(-1) : device.index()];
  if (!g.defined())
    g = Generator(intrusive_ptr<GeneratorImpl>(new CPUGeneratorImpl(seed_, device)));
  return g;
}

}  // namespace detail

const Generator& default_generator() {
  if (auto* local = detail::LocalGenerators::current()) return local->of(Device(kCPU));
  // It is never destroyed, because static objects may draw numbers.
  static const Generator* const generator =
      new Generator(detail::createCPUGenerator(detail::getNonDeterministicRandom()));
  return *generator;
}

namespace {

void seed_one(const Generator& g, uint64_t seed) {
  finish_draws(g.device());
  std::lock_guard<std::mutex> lock(g.unsafeGetGeneratorImpl()->drawing());
  g.unsafeGetGeneratorImpl()->set_current_seed(seed);
}

}  // namespace

void manual_seed(uint64_t seed) {
  seed_one(default_generator(), seed);
  cuda::manual_seed_all(seed);
}

namespace cuda {

RandomKeyOfLaunch random_key_for_launch(const optional<Generator>& generator) {
  const Device device =
      generator && generator->defined() ? generator->device() : Device(kCUDA, current_device());
  TAPER_CHECK(device.is_cuda(),
              "random_key_for_launch: expected a generator of a CUDA device, got ", "one of ",
              device);
  const GeneratorPtr from = detail::generator_for(device, generator);
  Runtime& runtime = detail::require_cuda();
  if (const uint64_t* place =
          runtime.key_for_replays(detail::current_stream_of(device.index()), from.get()))
    return {0, place};
  const std::lock_guard<std::mutex> lock(from->drawing());
  return {from->random64(), nullptr};
}

const Generator& default_generator(DeviceIndex device) {
  if (auto* local = detail::LocalGenerators::current())
    return local->of(Device(kCUDA, detail::existing_index(device)));
  static const auto& all = *[] {
    auto* list = new std::vector<Generator>;
    for (DeviceIndex i = 0; i < device_count(); ++i)
      list->push_back(Generator(intrusive_ptr<GeneratorImpl>(
          new CPUGeneratorImpl(taper::default_generator().current_seed(), Device(kCUDA, i)))));
    return list;
  }();
  return all[detail::existing_index(device)];
}

void manual_seed(uint64_t seed) {
  if (is_available()) seed_one(default_generator(), seed);
}
void manual_seed_all(uint64_t seed) {
  for (DeviceIndex i = 0; i < device_count(); ++i) seed_one(default_generator(i), seed);
}

}  // namespace cuda

uint64_t initial_seed() { return default_generator().unsafeGetGeneratorImpl()->current_seed(); }

namespace detail {

const Generator& getDefaultCPUGenerator() { return default_generator(); }

Generator createCPUGenerator(uint64_t seed) {
  return Generator(intrusive_ptr<GeneratorImpl>(new CPUGeneratorImpl(seed)));
}

uint64_t getNonDeterministicRandom() {
  std::random_device entropy;
  const uint64_t high = entropy();
  return ((high << 32) | entropy()) & ((uint64_t{1} << 53) - 1);
}

std::vector<Generator> default_generators() {
  std::vector<Generator> all = {default_generator()};
  for (DeviceIndex i = 0; i < cuda::device_count(); ++i) all.push_back(cuda::default_generator(i));
  return all;
}

namespace {

/// Runs `work` after the draws that are queued on the device's current stream. A capture records
/// it. The host makes a GPU's draws at the call, so the work then runs at once.
void in_order_of_draws(Device device, const char* name, std::function<void()> work) {
  if (device.is_cpu() && captures_host()) return record_on_host(name, std::move(work));
  if (device.is_cpu() || on_gpu()) return work();
  launch_on(device.index(), name, std::move(work));
}

}  // namespace

struct GeneratorStates::Copies {
  std::deque<CPUGeneratorImpl> of;  ///< one for each of default_generators()
};

GeneratorStates::GeneratorStates() : copies_(std::make_shared<Copies>()) {
  for (const Generator& g : default_generators()) {
    CPUGeneratorImpl& copy = copies_->of.emplace_back(0, g.device());
    in_order_of_draws(g.device(), "save_generator", [g, &copy, owner = copies_] {
      auto* const from = g.get<CPUGeneratorImpl>();
      const std::lock_guard<std::mutex> lock(from->drawing());
      copy.copy_numbers(*from);
    });
  }
}

void GeneratorStates::restore() const {
  auto all = default_generators();
  for (size_t i = 0; i < all.size(); ++i)
    in_order_of_draws(all[i].device(), "restore_generator", [g = all[i], i, from = copies_] {
      auto* const to = g.get<CPUGeneratorImpl>();
      const std::lock_guard<std::mutex> lock(to->drawing());
      to->copy_numbers(from->of[i]);
    });
}

GeneratorPtr generator_for(Device device, const optional<Generator>& g) {
  const Generator& chosen = g && g->defined() ? *g
                            : device.is_cpu() ? default_generator()
                                              : cuda::default_generator(device.index());
  TAPER_CHECK(chosen.device() == device, "Expected a '", device.str(),
              "' device type for generator but found '", chosen.device().str(), "'");
  keep_for_replays(device, chosen);
  return GeneratorPtr(chosen.get<CPUGeneratorImpl>());
}

}  // namespace detail
}  // namespace torch::taper

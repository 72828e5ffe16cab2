#include <taper/nn/parallel/parallel_apply.h>

#include <exception>
#include <typeinfo>

#include <taper/framework/autograd/node.h>
#include <taper/framework/runtime/thread_state.h>
#include <taper/nn/parallel/worker_threads.h>

namespace torch::taper::nn::parallel::detail {
namespace {

template <class E>
void throw_if_is(const Error& e, const std::string& text) {
  if (typeid(e) == typeid(E)) throw E(text);
}

[[noreturn]] void rethrow_with_place(const std::exception_ptr& error, size_t i, Device device) {
  const std::string place = taper::detail::concat(" (in replica ", i, " on ", device, ")");
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    const std::string text = e.what() + place;
    throw_if_is<Error>(e, text);
    throw_if_is<IndexError>(e, text);
    throw_if_is<ValueError>(e, text);
    throw_if_is<TypeError>(e, text);
    throw_if_is<NotImplementedError>(e, text);
    throw_if_is<LinAlgError>(e, text);
    throw_if_is<OutOfMemoryError>(e, text);
    std::throw_with_nested(Error(text));
  } catch (const std::exception& e) {
    std::throw_with_nested(Error(e.what() + place));
  } catch (...) {
    std::throw_with_nested(Error("an exception of unknown type" + place));
  }
}

}  // namespace

void run_on_devices(const std::vector<Device>& devices, const std::function<void(size_t)>& body) {
  const ThreadState callers;
  const uint64_t sequence_nr = autograd::next_sequence_nr();
  std::vector<std::exception_ptr> errors(devices.size());
  run_on_threads(devices.size(), [&](size_t i) {
    try {
      const ThreadStateGuard state(callers);
      const cuda::OptionalDeviceGuard device(devices[i]);
      // One thread runs backward. It alternates between the nodes of the replicas, so that no
      // device waits until another has received all its work.
      if (i > 0) autograd::set_next_sequence_nr(sequence_nr);
      body(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (size_t i = 0; i < errors.size(); ++i)
    if (errors[i]) rethrow_with_place(errors[i], i, devices[i]);
}

}  // namespace torch::taper::nn::parallel::detail

// Library objects of a thread. Not installed.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cuda {

/// Objects that no thread owns at the moment. They are never destroyed, because the driver may be
/// gone already when the process ends.
template <class T, class Tag>
class Unused {
 public:
  static Unused& all() {
    static Unused& unused = *new Unused;
    return unused;
  }
  T* take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (objects_.empty()) return new T;
    T* const object = objects_.back();
    objects_.pop_back();
    return object;
  }
  void give(T* object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    objects_.push_back(object);
  }

 private:
  std::mutex mutex_;
  std::vector<T*> objects_;
};

/// Returns the calling thread's object of type T. When the thread ends, the next thread without an
/// object takes this one unchanged. So there are only as many objects as threads that run at once.
/// `Tag` distinguishes objects of one type.
template <class T, class Tag = T>
T& of_thread() {
  thread_local T* mine = nullptr;
  if (mine) return *mine;
  mine = Unused<T, Tag>::all().take();
  struct Owner {
    ~Owner() { Unused<T, Tag>::all().give(std::exchange(mine, nullptr)); }
  };
  thread_local const Owner owner;
  (void)owner;
  return *mine;
}

}  // namespace torch::taper::cuda

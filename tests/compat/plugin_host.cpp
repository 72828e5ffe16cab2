// Loads a plug-in as an interpreter or a server would, after the program has begun, and calls it on
// two threads.
#include <dlfcn.h>

#include <cstdio>
#include <thread>

int main(int, char** argv) {
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  const auto f = reinterpret_cast<double (*)(int)>(dlsym(plugin, "sum_of_squares"));
  double elsewhere = 0;
  std::thread([&] { elsewhere = f(4); }).join();
  std::printf("%g %g\n", f(4), elsewhere);
}

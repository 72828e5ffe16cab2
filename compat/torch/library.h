// Registering operators with a Python process is absent; the macros say so.
#pragma once

#define TAPER_NO_REGISTRATION                                                                    \
  static_assert(false,                                                                           \
                "Taper has no operator registry: call the C++ function directly, and give it a " \
                "derivative with torch::autograd::Function")
#define TORCH_LIBRARY(ns, m) TAPER_NO_REGISTRATION;
#define TORCH_LIBRARY_IMPL(ns, k, m) TAPER_NO_REGISTRATION;
#define TORCH_LIBRARY_FRAGMENT(ns, m) TAPER_NO_REGISTRATION;

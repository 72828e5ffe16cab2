// What the module classes of the library share.
#pragma once

#include <taper/nn/cloneable.h>
#include <taper/nn/module_holder.h>

/// Defines the holder of one of the library's module classes. Cloneable's functions for it are
/// compiled once, in the .cpp that has TAPER_DEFINE_LIBRARY_MODULE(Name), not in every user's file.
#define TAPER_LIBRARY_MODULE(Name)             \
  extern template class Cloneable<Name##Impl>; \
  TAPER_MODULE(Name)
#define TAPER_DEFINE_LIBRARY_MODULE(Name) template class Cloneable<Name##Impl>

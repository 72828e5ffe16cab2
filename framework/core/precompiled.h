// Headers that nearly every source of the library parses, precompiled once (CMakeLists.txt).
// Sources still include the headers that they use, and only the build uses this file. It contains
// no header of ops/ or of a floor above. So an edit of such a header recompiles only the files that
// include it.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/kernel/iterate.h>

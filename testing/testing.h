// Includes the headers of gradcheck, module_gradcheck, fuzz, golden and compare_devices. The
// headers opcheck.h and gtest.h are separate. See docs/testing_gradients.md.
#pragma once

#include <taper/testing/compare.h>
#include <taper/testing/compare_devices.h>
#include <taper/testing/fuzz.h>
#include <taper/testing/golden.h>
#include <taper/testing/gradcheck.h>
#include <taper/testing/module_gradcheck.h>

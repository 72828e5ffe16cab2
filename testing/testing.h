// The gradient regression kit: all of it but the GoogleTest forms of <taper/testing/gtest.h>.
// docs/testing_gradients.md tells how to use it.
#pragma once

#include <taper/testing/compare.h>
#include <taper/testing/compare_devices.h>
#include <taper/testing/fuzz.h>
#include <taper/testing/golden.h>
#include <taper/testing/gradcheck.h>
#include <taper/testing/module_gradcheck.h>

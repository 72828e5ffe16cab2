// Includes all headers for testing gradients and operators, except the GoogleTest macros of
// <taper/testing/gtest.h>. See docs/testing_gradients.md.
#pragma once

#include <taper/testing/compare.h>
#include <taper/testing/compare_devices.h>
#include <taper/testing/fuzz.h>
#include <taper/testing/golden.h>
#include <taper/testing/gradcheck.h>
#include <taper/testing/module_gradcheck.h>

// Includes random numbers and distributions.
#pragma once

#include <taper/ops/random/distributions.h>
#include <taper/ops/random/rand.h>

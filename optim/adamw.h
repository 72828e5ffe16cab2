// AdamW, which adam.h declares.
#pragma once

#include <taper/optim/adam.h>

// AdamW, which is declared beside Adam.
#pragma once

#include <taper/optim/adam.h>

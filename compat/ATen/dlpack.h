// DLPack's structures.
#pragma once

#include <taper/extension/dlpack.h>

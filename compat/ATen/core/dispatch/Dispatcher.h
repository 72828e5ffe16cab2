// c10::Dispatcher, OperatorHandle and TypedOperatorHandle.
#pragma once

#include <taper/extension/dispatcher.h>
#include <torch/names.h>

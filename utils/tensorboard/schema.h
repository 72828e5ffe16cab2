// TensorBoard's data, as classes generated from schema.proto. Not installed.
#pragma once

#include <taper/framework/core/namespaces.h>
#include <utils/tensorboard/schema.pb.h>

namespace torch::taper::utils::tensorboard {
namespace schema = taper_schema;
}

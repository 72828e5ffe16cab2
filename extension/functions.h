// The functions of LibTorch's <ATen/Functions.h> that the headers of Taper's ops do without.
#pragma once

#include <taper/extension/foreach_out.h>
#include <taper/extension/out_forms.h>
#include <taper/extension/outf_lists.h>
#include <taper/extension/outf_nn.h>
#include <taper/extension/outf_numbers.h>
#include <taper/extension/outf_ops.h>
#include <taper/extension/outf_overloads.h>
#include <taper/extension/outf_pointwise.h>
#include <taper/extension/outf_random.h>
#include <taper/extension/outf_tensors.h>
#include <taper/extension/overloads.h>
#include <taper/extension/unpacked_options.h>

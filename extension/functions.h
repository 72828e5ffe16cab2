// Functions of LibTorch's <ATen/Functions.h> that the headers of Taper's ops do not declare.
#pragma once

#include <taper/extension/foreach.h>
#include <taper/extension/out_forms.h>
#include <taper/extension/overloads.h>
#include <taper/generated/foreach_out.h>
#include <taper/generated/out_forms.h>
#include <taper/generated/outf_forms.h>
#include <taper/generated/unpacked_options.h>

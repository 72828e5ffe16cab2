// Includes recurrent layers, packed sequences and CTC.
#pragma once

#include <taper/ops/sequence/loss_ctc.h>
#include <taper/ops/sequence/pack_sequence.h>
#include <taper/ops/sequence/rnn.h>

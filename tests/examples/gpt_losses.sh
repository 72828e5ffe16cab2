#!/bin/bash
# Writes gpt_losses.txt anew with PyTorch: gpt_losses.sh FOLDER_OF_TORCH (of its wheel: include/ and lib/).
set -eu
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
torch=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CXX:-g++}" -std=c++20 -O1 -I "$torch/include" -I "$torch/include/torch/csrc/api/include" \
  ../../examples/gpt/model.cpp gpt_losses.cpp -L "$torch/lib" -Wl,--no-as-needed -ltorch_cpu -lc10 \
  -Wl,-rpath,"$torch/lib" -o "$work/losses"
"$work/losses" >gpt_losses.txt

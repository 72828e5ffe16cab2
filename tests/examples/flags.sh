#!/usr/bin/env bash
# Every example can be asked to leave the GPUs alone.
#   flags.sh FOLDER_OF_PROGRAMS
set -euo pipefail
examples=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../examples" && pwd)
checked=0
for folder in "$examples"/*/; do
  name=$(basename "$folder")
  program=$1/$name
  [[ $name != mnist_@(minimal|distributed) ]] || { echo "$name has no options: it computes on the CPU"; continue; }
  [ "$name" != gradient_tests ] || { echo "$name is a test, which names its devices: not checked"; continue; }
  ! grep -q gallery_example "$folder/CMakeLists.txt" 2>/dev/null || { echo "$name is of the gallery: it computes on the CPU"; continue; }
  [ -x "$program" ] || { echo "$name was not built: not checked"; continue; }
  "$program" --help | grep -- --disable-cuda >/dev/null || { echo "$name has no --disable-cuda"; exit 1; }
  checked=$((checked + 1))
done
echo "$checked examples have --disable-cuda"
[ $checked -gt 0 ] || { echo "not run: no example was built"; exit 77; }

#!/usr/bin/env bash
# extension.sh WORK COMPILER FLAGS... -- LINK...: builds and runs the programs of extension/, which have
# ops of their own. None of their headers may be an installed LibTorch's: that would hide what is absent.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$1
shift
compile=()
while [ "$1" != -- ]; do compile+=("$1"); shift; done
shift
mkdir -p "$work"
work=$(cd -- "$work" && pwd)
for source in "$here"/extension/*.cpp; do
  name=$(basename "$source" .cpp)
  if [ "$name" = profiler ] && [[ " $* " != *" -ltaper_utils "* ]]; then
    echo "profiler: not run: taper::utils was not built"
    continue
  fi
  "${compile[@]}" -std=c++17 -Wall -Wextra -Werror -fPIC -MD -MF "$work/$name.d" -c "$source" -o "$work/$name.o"
  if grep -E '/usr/(local/)?include/(torch|ATen|c10|caffe2)/' "$work/$name.d"; then
    echo "$name: these headers are not Taper's"
    exit 1
  fi
  "${compile[0]}" "$work/$name.o" -o "$work/$name" "$@"
  (cd -- "$work" && TAPER_SIMULATED_CUDA_DEVICES=2 TAPER_RACE_DETECTOR=throw "./$name")
done
# The same source as a library for Python: DLPack with NumPy on the other side.
if python3 -c 'import numpy' 2>/dev/null; then
  "${compile[0]}" -shared "$work/dlpack.o" -o "$work/dlpack.so" "$@"
  python3 "$here/dlpack_numpy.py" "$work/dlpack.so"
else
  echo "dlpack_numpy: not run: python3 has no numpy (Debian: python3-numpy)"
fi
echo "extension: all as expected"

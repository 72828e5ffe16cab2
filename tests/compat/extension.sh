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
formats=$here/extension/format # a stand-in, unless the compiler has <format>
! "${compile[0]}" -std=c++20 -fsyntax-only -include format -x c++ /dev/null 2>/dev/null || formats=$here
for source in "$here"/extension/*.cpp; do
  name=$(basename "$source" .cpp)
  if [ "$name" = profiler ] && [[ " $* " != *" -ltaper_utils "* ]]; then
    echo "profiler: not run: taper::utils was not built"
    continue
  fi
  include= link=() standard=-std=c++17
  case $name in
    format) standard=-std=c++20 include=$formats ;;
    eigen) include=${TAPER_TEST_EIGEN-} ;;
    opencv) include=${TAPER_TEST_OPENCV-} link=(-lopencv_core) ;;
    *) include=$here ;;
  esac
  if [ -z "$include" ]; then
    echo "$name: not run: the package of Debian is not installed (libeigen3-dev, libopencv-core-dev)"
    continue
  fi
  "${compile[@]}" "$standard" -Wall -Wextra -Werror -fPIC -isystem "$include" -MD -MF "$work/$name.d" -c "$source" -o "$work/$name.o"
  if grep -E '/usr/(local/)?include/(torch|ATen|c10|caffe2)/' "$work/$name.d"; then
    echo "$name: these headers are not Taper's"
    exit 1
  fi
  "${compile[0]}" "$work/$name.o" -o "$work/$name" "$@" "${link[@]}"
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

#!/usr/bin/env bash
# Uses an installed static library: by its CMake package and by pkg-config. Programs then need no
# libtaper.so and carry only what they use.
#   static.sh PREFIX WORK_DIR
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
prefix=$(cd -- "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
work=$(cd -- "$2" && pwd)
most_mib=12 # of a stripped MNIST trainer

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name taper.pc)")
export PKG_CONFIG_PATH
bash "$here/readme.sh" "$work/readme" $(pkg-config --cflags --libs taper)

cmake -S "$here/../../examples/mnist" -B "$work/mnist" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/log"
cmake --build "$work/mnist" >>"$work/log" || { tail -n 20 "$work/log"; exit 1; }
mnist=$(find "$work/mnist" -name mnist -type f -perm -u+x)
"$mnist" --help >/dev/null
for program in "$work/readme/program" "$mnist"; do
  ! ldd "$program" | grep libtaper || { echo "static: $program loads Taper's shared library"; exit 1; }
done
strip -o "$work/stripped" "$mnist"
mib=$(($(stat -c %s "$work/stripped") >> 20))
echo "static: a stripped MNIST trainer has $mib MiB, of at most $most_mib"
[ "$mib" -le $most_mib ]

#!/usr/bin/env bash
# allreduce.sh PREFIX PYTORCH [RANKS] [TURNS]: time of allreduce over Gloo by so many processes of this machine, Taper
# beside PyTorch in turns: PREFIX is an installed Taper or a build folder's, PYTORCH the folder `torch` of an unpacked
# wheel. A value is the least of all turns; the last column is PyTorch's divided by Taper's.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
prefix=${1:?usage: allreduce.sh PREFIX PYTORCH [RANKS] [TURNS]} pytorch=${2:?the folder torch of PyTorch} ranks=${3:-2} turns=${4:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
unset OPENBLAS_CORETYPE

taper=$(find "$prefix" -name libtaper.so | head -n 1)
g++ -std=c++20 -O2 -w -I"$prefix/include" -I"$prefix/include/taper/compat" -I"$here/../compat" "$here/allreduce.cpp" -o "$folder/taper" \
  -L"$(dirname "$taper")" -ltaper_distributed -ltaper -Wl,-rpath,"$(dirname "$taper")" -pthread
# (Wheels leave out Gloo's own headers, of which this program needs names alone: Debian's do. libtorch_cpu.so asks for
# CUDA's runtime, which lies beside it.)
g++ -std=c++20 -O2 -w -DUSE_C10D_GLOO -I"$pytorch/include" -I"$pytorch/include/torch/csrc/api/include" \
  "$here/allreduce.cpp" -o "$folder/pytorch" -L"$pytorch/lib" -Wl,--no-as-needed,--allow-shlib-undefined -ltorch_cpu -lc10 \
  -Wl,-rpath,"$pytorch/lib" -pthread

LD_LIBRARY_PATH=$(find "$pytorch/../nvidia" -name 'libcu*.so*' -printf '%h:' 2>/dev/null)${LD_LIBRARY_PATH:-}
export LD_LIBRARY_PATH

# turn PROGRAM: one run by all ranks
turn() {
  local rank file=$folder/meet.$1.$RANDOM$RANDOM pids=()
  for ((rank = 1; rank < ranks; ++rank)); do
    "$folder/$1" "$rank" "$ranks" "$file" >/dev/null & pids+=($!)
  done
  "$folder/$1" 0 "$ranks" "$file" >>"$folder/$1.times"
  wait "${pids[@]}"
}
for ((i = 0; i < turns; ++i)); do turn pytorch; turn taper; done
echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc --all) cores, $ranks ranks, $turns turns"
awk '
  {if (!(($1, FILENAME) in t) || $2 < t[$1, FILENAME]) t[$1, FILENAME] = $2; if (!seen[$1]++) order[++n] = $1}
  END {for (i = 1; i <= n; ++i) {b = order[i]; p = t[b, ARGV[1]]; m = t[b, ARGV[2]]
    printf "%10d bytes  PyTorch %10.4f ms  Taper %10.4f ms  %5.2f\n", b, p, m, p / m}}' "$folder/pytorch.times" "$folder/taper.times"

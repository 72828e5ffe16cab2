#!/usr/bin/env bash
# Makes the set that run.sh needs on another machine: programs, libraries, scripts.
#   pack.sh BUILD TARGET      TARGET: a folder, or a file that ends with .tar, .tar.gz or .tar.xz
# The CUDA runtime is part of it; cuBLAS and cuDNN are the other machine's.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -- "$1" && pwd)
target=$(realpath -m -- "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$work/taper-gpu
mkdir -p "$folder/bin" "$folder/lib"

programs=(tests/taper_tests benchmarks/gpu_bench bin/mnist bin/gpt bin/data_parallel bin/cuda_semantics)
for program in "${programs[@]}"; do
  [ -x "$build/$program" ] || { echo "pack: $build has no $program: build it first" >&2; exit 1; }
done
programs=("${programs[@]/#/$build/}")
cp "${programs[@]}" "$folder/bin/"
cp "$root/tests/gpu/run.sh" "$root/tests/gpu/failures.awk" "$root/benchmarks/gpu_peer.py" "$folder/"
cp -r "$root/tests/data_files" "$folder/"

# Everything the programs are linked with, but what every Linux has and what must be the other
# machine's own.
libraries_of() { ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u; }
system='/(libc|libm|libmvec|libdl|libpthread|librt|libstdc\+\+|libgcc_s|libcuda|libcublas.*|libcudnn.*|ld-linux.*)\.so'
{
  libraries_of "${programs[@]}"
  # Loaded by name when it is needed (framework/cpu/openblas.h).
  blas=$(ldconfig -p | awk '/libopenblas\.so\.0/ && !n++ {print $NF}')
  if [ -n "$blas" ]; then echo "$blas" && libraries_of "$blas"; fi
} | sort -u | grep -vE "$system" | while read -r library; do
  cp -L "$library" "$folder/lib/$(basename "$library")"
done
strip --strip-unneeded "$folder"/lib/*.so* 2>/dev/null || true
# Source lines in reports of the tests need .debug_line.
strip --strip-unneeded "$folder"/bin/gpu_bench "$folder"/bin/mnist "$folder"/bin/gpt "$folder"/bin/data_parallel "$folder"/bin/cuda_semantics

case $target in
  *.tar.xz) tar -C "$work" -c taper-gpu | xz -T0 -3 >"$target" ;;
  *.tar.gz) tar -C "$work" -cz taper-gpu >"$target" ;;
  *.tar) tar -C "$work" -cf "$target" taper-gpu ;;
  *) mkdir -p "$target" && cp -r "$folder/." "$target/" ;;
esac
echo "pack: $(du -shL "$target" | cut -f1) in $target"

#!/usr/bin/env bash
# kernels.sh OBJECTS [EXCEPT]: every CUDA kernel that an object file of the folder OBJECTS calls is
# defined in one of them. The references are weak (framework/kernel/dispatch.h), so the linker would not say.
# EXCEPT is a regular expression of names that this build does not have: NVIDIA's libraries, on a host.
set -euo pipefail
objects=${1:?usage: kernels.sh OBJECTS [EXCEPT]} except=${2:-^$}
symbols=$(find "$objects" -name '*.o' -print0 | xargs -0 nm)
called=$(awk 'NF == 2 && $1 == "w" && $2 ~ /^_ZN5torch5taper4cuda/ {print $2}' <<<"$symbols" | sort -u)
defined=$(awk 'NF == 3 && $2 ~ /^[TW]$/ && $3 ~ /^_ZN5torch5taper4cuda/ {print $3}' <<<"$symbols" | sort -u)
[ -n "$called" ] || { echo "kernels: no object of $objects calls a CUDA kernel"; exit 1; }
missing=$(comm -23 <(echo "$called") <(echo "$defined") | c++filt |
  grep -vE -- "$except" || true)
[ -z "$missing" ] || { echo "kernels: called and not defined:"; echo "$missing"; exit 1; }
echo "kernels: $(wc -l <<<"$called") CUDA kernels are called, all are defined"

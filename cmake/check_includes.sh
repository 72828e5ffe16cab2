#!/usr/bin/env bash
# The include law: framework <- ops <- nn <- (optim, data, testing) <- (utils, distributed) <- train, ops <- (extension, func), func <- testing and (nn, extension) <- program. A lower
# floor never includes a higher one; inside ops kernels include no public header of an op; headers do not include each other in a circle;
# nobody below includes the umbrella or the compatibility headers, every include of our own is <taper/...>, and a public
# header shows no CUDA, oneDNN or BLAS, is C++17, and says that its declarations are exported.
# Prints each line that breaks it.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# Generated headers (cmake/generated_headers.py) keep the law, too.
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
python3 cmake/generated_headers.py "$generated" >/dev/null

broken=0
# forbid WHAT PATTERN FILE...: no line of the files may match.
forbid() {
  local what=$1 pattern=$2
  shift 2
  [ $# -gt 0 ] || return 0
  local lines
  if lines=$(grep -nHE "$pattern" -- "$@"); then
    echo "$what:"
    echo "$lines" | sed 's/^/  /'
    broken=1
  fi
}
sources() { find "$@" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' \); }
roots=(framework ops nn optim data testing extension utils distributed train func program compat tests)
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*'

mapfile -t framework < <(sources framework)
mapfile -t ops < <(sources ops)
mapfile -t nn < <(sources nn)
mapfile -t optim < <(sources optim)
mapfile -t data < <(sources data)
mapfile -t testing < <(sources testing)
mapfile -t extension < <(sources extension "$generated/taper")
mapfile -t utils < <(sources utils)
mapfile -t distributed < <(sources distributed)
mapfile -t train < <(sources train)
mapfile -t func < <(sources func)
mapfile -t program < <(sources program)
mapfile -t public < <(cmake -DTAPER_INCLUDE="$generated" -P cmake/public_headers.cmake)
[ ${#public[@]} -gt 0 ] || { echo "no public headers found"; exit 1; }
below=("${framework[@]}" "${ops[@]}" "${nn[@]}" "${optim[@]}" "${data[@]}" "${testing[@]}" "${extension[@]}")
all=("${below[@]}" "${utils[@]}" "${distributed[@]}" "${train[@]}" "${func[@]}" "${program[@]}")

forbid "framework includes a higher floor" "$include<taper/(ops|nn|optim|data|testing|extension)/" "${framework[@]}"
forbid "ops includes a higher floor" "$include<taper/(nn|optim|data|testing|extension)/" "${ops[@]}"
forbid "nn includes a higher floor" "$include<taper/(optim|data|testing|extension)/" "${nn[@]}"
forbid "optim includes its neighbour" "$include<taper/(data|testing)/" "${optim[@]}"
forbid "data includes its neighbour" "$include<taper/(optim|testing)/" "${data[@]}"
forbid "testing includes its neighbour" "$include<taper/(optim|data)/" "${testing[@]}"
forbid "utils included from below" "$include<taper/utils/" "${below[@]}"
forbid "distributed included from below" "$include<taper/distributed/" "${below[@]}"
forbid "utils and distributed include each other" "$include<taper/distributed/" "${utils[@]}"
forbid "distributed includes its neighbour" "$include<taper/utils/" "${distributed[@]}"
forbid "train included from below" "$include<taper/train/" "${below[@]}" "${utils[@]}" "${distributed[@]}"
mapfile -t below_func < <(printf '%s\n' "${below[@]}" | grep -v '^testing/')
forbid "func included from below" "$include<taper/func/" "${below_func[@]}" "${utils[@]}" "${distributed[@]}" "${train[@]}"
forbid "func includes more than ops" "$include<taper/(nn|optim|data|testing|extension|utils|distributed|train)/" "${func[@]}"
forbid "program included from below" "$include<taper/program/" "${below[@]}" "${utils[@]}" "${distributed[@]}" "${train[@]}" "${func[@]}"
forbid "program includes more than nn and extension" "$include<taper/(optim|data|testing|utils|distributed|train|func)/" "${program[@]}"
forbid "extension includes a higher floor" "$include<taper/(nn|optim|data|testing)/" "${extension[@]}"
forbid "GoogleTest outside of testing/gtest.h" "$include<g(test|mock)/" $(printf '%s\n' "${all[@]}" | grep -vx testing/gtest.h)
forbid "the umbrella header included from below" "$include<taper/taper\\.h>" "${all[@]}"
forbid "a compatibility header included from below" "$include[<\"](torch|ATen|c10)/" "${all[@]}"
forbid "an include of our own that is not <taper/...>" "$include\"" "${all[@]}"
forbid "a library's header in a public header" "$include[<\"](cuda|cublas|cudnn|nccl|cub/|thrust/|dnnl|oneapi|cblas|openblas|omp\\.h|zlib)" "${public[@]}"
forbid "C++20 in a public header, which programs compile as C++17" \
  '^([^"/]*[^"/[:alnum:]_])?(requires|concept|consteval|constinit) [^-]*[({;=]|std::(same_as|derived_from|convertible_to|span|remove_cvref|bit_cast|ranges)|^#include <(concepts|span|ranges|format|bit|numbers|compare|source_location|latch|barrier|semaphore|stop_token)>' \
  $(printf '%s\n' "${public[@]}" | grep -vx framework/core/format.h)
forbid "kernels known in a public header" "$include<taper/(.*_kernels\\.h|framework/kernel/(dispatch|isa|vec).*|framework/cpu/(gemm|blas).*)>" "${public[@]}"

# Other CPUs compile all but these files' parts for one of them. What guards kernels is TAPER_ISA_VARIANTS().
forbid "an instruction set's header outside of the files that have one" "$include<([a-z0-9]*intrin|arm_neon|arm_sve|cpuid)\\.h>" \
  $(printf '%s\n' "${all[@]}" | grep -vxE 'framework/(core/precompiled\.h|kernel/(vec\.h|vec_neon\.h|streaming_stores\.cpp|isa\.cpp))')
forbid "a CPU's name outside of the files that may know one" \
  '__x86_64__|__i386__|__aarch64__|__arm__|__(SSE|AVX|FMA|F16C|ARM)[A-Z0-9_]*__|TAPER_NO_ISA_VARIANTS' \
  $(printf '%s\n' "${all[@]}" | grep -vxE 'framework/core/(float16|precompiled)\.h|framework/cpu/(denormals\.h|parallel\.cpp)|framework/kernel/(isa\.cpp|targets\.h|vec\.h|vec_neon\.h|vector_math\.h|streaming_stores\.cpp)|framework/fusion/cpu/row_runs\.inc|distributed/flight_recorder\.cpp')

# The tiers of ops/: kernels and what they share include plans, loops and other kernels, never a public
# header of an op; headers are acyclic (sources may include any public header: derivatives are public ops).
op_headers=$(printf '%s\n' "${public[@]}" | grep '^ops/' | paste -sd'|')
mapfile -t kernels < <(printf '%s\n' "${ops[@]}" | grep -E '_(cpu|cudnn)\.cpp$|_cuda\.(cu|h)$|\.inc$|_(kernels|functors)\.h$')
forbid "a kernel includes the public header of an op" "$include<taper/($op_headers)>" "${kernels[@]}"
circle=$(for header in $(printf '%s\n' "${all[@]}" | grep '\.h$'); do
  sed -nE "s|$include<taper/([^>]+\\.h)>.*|${header#"$generated/taper/"} \\1|p" "$header"
done | tsort 2>&1 >/dev/null) || { echo "headers include each other in a circle:"; echo "${circle//tsort: /  }"; broken=1; }
[ "$(find framework ops -mindepth 1 -type d -exec sh -c 'ls "$1" | wc -l' _ {} \; | sort -n | tail -n 1)" -le 70 ] ||
  { echo "a folder of framework/ or ops/ has more than 70 files"; broken=1; }
stray=$(find framework ops -maxdepth 1 -type f)
[ -z "$stray" ] || { echo "files of framework/ and ops/ belong into the folder of their family: $stray"; broken=1; }

# Macros in headers and kernels are for what C++ cannot say: checks that quote their condition, names
# that become text or parts of names, attributes and pragmas of instruction sets. A list of ops is one macro.
most_macros=80
macros=$(grep -hoE '^[[:space:]]*#[[:space:]]*define TAPER_[A-Za-z0-9_]+' \
  $(find "${roots[@]}" -type f \( -name '*.h' -o -name '*.inc' -o -name '*.cuh' \)) | sed 's/.*define //' | sort -u | wc -l)
[ "$macros" -le $most_macros ] ||
  { echo "$macros names of macros (#define TAPER_...) in headers, at most $most_macros are allowed"; broken=1; }

# What the library exports (docs/contributing/architecture.md): each public header with a namespace makes its
# declarations visible, once, and puts that back. The kit of testing/ is a static library.
for header in "${public[@]}"; do
  [[ $header != testing/* ]] || continue
  want=$(grep -cE '^(inline )?namespace ' "$header" >/dev/null && echo 1 || echo 0)
  for action in 'push\(default\)' pop; do
    if [ "$(grep -cE "^#pragma GCC visibility $action\$" "$header")" != "$want" ]; then
      echo "$header: expected '#pragma GCC visibility ${action//\\/}' $want times"
      broken=1
    fi
  done
done

# The first declaration of torch::taper must say that it is inline, also where a program includes one header alone.
alone=$(python3 - "${public[@]}" <<'PYTHON'
import pathlib, re, sys
includes = {}
def reaches(header):
    if header not in includes:
        includes[header] = False
        text = pathlib.Path(header).read_text() if pathlib.Path(header).exists() else ""
        names = re.findall(r"^#include <taper/([^>]+)>", text, re.M)
        includes[header] = "framework/core/namespaces.h" in names or any(reaches(name) for name in names)
    return includes[header]
for header in sys.argv[1:]:
    if not header.endswith("/namespaces.h") and re.search(r"^namespace torch", pathlib.Path(header).read_text(), re.M) and not reaches(header):
        print(header)
PYTHON
)
[ -z "$alone" ] || { echo "headers with the namespace that do not include framework/core/namespaces.h: $alone"; broken=1; }

[ $broken = 0 ] && echo "include law: ${#all[@]} files, ${#public[@]} of them public headers, $macros macros, none breaks it"
exit $broken

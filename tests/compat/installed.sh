#!/usr/bin/env bash
# Uses an installed Taper as others would: by CMake package, by its pkg-config files, and every
# header by itself as C++17, which must open the namespace after framework/core/namespaces.h has said that it is inline.
#   installed.sh PREFIX WORK_DIR
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
prefix=$(cd -- "$1" && pwd)
work=$2
rm -rf "$work"
mkdir -p "$work"
work=$(cd -- "$work" && pwd)

bash "$here/run.sh" "$prefix/lib/cmake/taper/torch" "$work/torch"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name taper.pc)")
export PKG_CONFIG_PATH
# pkg-config quotes a path with spaces for the shell; eval reads it back.
eval "c++ -std=c++17 '$here/hello.cpp' -o '$work/hello' $(pkg-config --cflags --libs taper)"
[ "$("$work/hello")" = 8 ]
eval "c++ -std=c++17 '$here/hello.cpp' -o '$work/ranks' $(pkg-config --cflags --libs taper-distributed)"
[ "$("$work/ranks")" = 8 ]
eval "c++ -std=c++17 '$here/gradcheck.cpp' -o '$work/gradcheck' $(pkg-config --cflags --libs taper-testing)"
[ "$("$work/gradcheck")" = 1 ]
eval "c++ -std=c++17 '$here/../utils/write_run.cpp' -o '$work/write_run' $(pkg-config --cflags --libs taper-utils)"
"$work/write_run" "$work/run"
[ -n "$(find "$work/run" -name 'events.out.tfevents.*' -size +1k)" ]
eval "c++ -std=c++17 '$here/project/example-app.cpp' -o '$work/app' $(pkg-config --cflags --libs taper-torch)"
"$work/app" | diff "$here/project/expected.txt" -

# Programs may be compiled by another compiler than the library.
if command -v clang++ >/dev/null; then
  eval "clang++ -std=c++17 -Wall -Wextra -Werror '$here/project/example-app.cpp' -o '$work/app' $(pkg-config --cflags --libs taper-torch)"
  "$work/app" | diff "$here/project/expected.txt" -
else
  echo "installed: no clang++ here, so no program was compiled by it"
fi

# A header that only forwards to <torch/torch.h> has nothing of its own to check; of those that a build
# makes (cmake/generated_headers.py), which forward to others, one of a kind is enough.
cd -- "$prefix/include"
find taper -name '*.h' -not -path '*/ATen/ops/*' -not -path '*/csrc/api/include/*' -exec grep -LE '^#include <torch/torch\.h>' {} + >"$work/headers"
find taper -path '*/ATen/ops/add.h' -o -path '*/csrc/api/include/torch/nn.h' >>"$work/headers"
# An adapter needs the headers of its library, which Debian keeps in a folder of their own.
adapters=()
for adapter in eigen:eigen3/Eigen/Core opencv:opencv4/opencv2/core.hpp; do
  folder=/usr/include/${adapter#*:}
  if [ -e "$folder" ]; then
    folder=${adapter#*:}
    adapters+=(-isystem "/usr/include/${folder%%/*}")
  else
    echo "installed: ${adapter%%:*}.h was not compiled: $folder is missing"
    sed -i "/extension\/${adapter%%:*}\.h$/d" "$work/headers"
  fi
done
# (With lists of what is included, ccache need not preprocess each first: a fifth of the time, where it has nothing.)
sed 's|/[^/]*$||' "$work/headers" | sort -u | (mkdir "$work/lists" && cd "$work/lists" && xargs -d '\n' mkdir -p)
CCACHE_DEPEND=1 xargs -d '\n' -P "$(nproc)" -I{} \
  c++ -std=c++17 -Wall -Werror -fsyntax-only -MD -MF "$work/lists/{}.d" -include {} -include taper/framework/core/namespaces.h -x c++ -I. -Itaper/compat "${adapters[@]}" /dev/null \
  <"$work/headers"
echo "installed: packages work, $(wc -l <"$work/headers") headers stand alone"

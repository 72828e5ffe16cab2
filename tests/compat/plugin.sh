#!/usr/bin/env bash
# plugin.sh COMPILER OPTIONS...: a library that is linked with Taper can be loaded into a running program.
# The options compile and link the plug-in. dlopen fails where a library wants more thread-local memory
# of the kind that is reached in one load than the process has left, which all its libraries share.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../shell_checks.sh"
compiler=${1:?usage: plugin.sh COMPILER OPTIONS...}
shift
"$compiler" -std=c++17 -fPIC -shared "$here/plugin.cpp" -o "$work/plugin.so" "$@"
"$compiler" -std=c++17 "$here/plugin_host.cpp" -o "$work/host" -ldl -pthread
"$work/host" "$work/plugin.so" >"$work/out" 2>&1 || fail "the host ended with $?"
says '^26 26$'
finish

#!/usr/bin/env bash
# Every header of LibTorch's C++ front end that a program may include is there under its path, but for
# those named here. header_paths.sh COMPAT_DIR BUILD_INCLUDE_DIR [FRONT_END_DIR]; exit code 77: LibTorch is not installed.
set -euo pipefail
compat=$(cd -- "$1" && pwd)
generated=$(cd -- "$2" && pwd)
front_end=${3:-/usr/include/torch/csrc/api/include}
# Of Python, of nested tensors, of TorchScript's methods; and what LibTorch itself calls details.
absent='^torch/(python|nested|imethod)\.h$|/detail/'

[ -f "$front_end/torch/torch.h" ] || { echo "not run: no LibTorch in $front_end"; exit 77; }
missing=$(cd -- "$front_end" && find torch -name '*.h' | grep -Ev "$absent" | while read -r header; do
  [ -f "$compat/$header" ] || [ -f "$generated/$header" ] || echo "$header"
done)
[ -z "$missing" ] || { echo "FAILED: neither in $compat nor in $generated: $missing"; exit 1; }
echo "every header of $front_end is in $compat or $generated"

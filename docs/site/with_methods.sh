#!/usr/bin/env bash
# with_methods.sh framework/tensor.h: the header with the methods that stand in a file of their own, for Doxygen.
exec sed "/tensor_methods\.inc>/r $(dirname -- "$1")/tensor_methods.inc" "$1"

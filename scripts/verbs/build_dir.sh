# SPDX-License-Identifier: Apache-2.0
# For the verbs: build directories. Sourced with the root of the tree as the current directory.

# configure DIR [-DOPTION…]: makes or refreshes the build directory DIR. CMake itself sees what changed since.
configure() {
  local dir=$1
  shift
  cmake -S . -B "$dir" -G Ninja -DCMAKE_C_COMPILER="${CC:-clang-19}" -DCMAKE_CXX_COMPILER="${CXX:-clang++-19}" \
    -DPython3_EXECUTABLE=/usr/bin/python3 "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; return 1; }
  rm -f "$dir.log"
}

# The sanitized build. Without optimisation it compiles in half the time, which is more than its tests then lose.
configure_sanitized() {
  configure build-asan -DMILENA_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Sanitized \
    -DCMAKE_C_FLAGS_SANITIZED='-O0 -gline-tables-only' -DCMAKE_CXX_FLAGS_SANITIZED='-O0 -gline-tables-only'
}

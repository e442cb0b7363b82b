#!/bin/sh
# Whether the recipes in docs/packaging/ can be read, by Python and by CMake, and have the version that the headers have. Conan is asked
# where it is installed. Exits with 77 where there is no Python.
#
#   recipes.sh <root of the tree>
set -eu
cd "$1"

command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
python3 - <<'PYTHON'
import ast, json, re

version = re.search(r'define SINTER_VERSION "(.*)"', open("include/sinter/detail/config.hpp").read()).group(1)
ast.parse(open("docs/packaging/conan/conanfile.py").read())
spack = open("docs/packaging/spack/packages/sinter/package.py").read()
ast.parse(spack)
assert f'version("{version}")' in spack, "spack: another version"
port = json.load(open("docs/packaging/vcpkg/sinter/vcpkg.json"))
assert port["version"] == version, "vcpkg: another version"
names = [d if isinstance(d, str) else d["name"] for d in port["dependencies"]]
assert names == sorted(names), "vcpkg: dependencies are sorted"
PYTHON

# The port's own lines are run, with functions of vcpkg's that look whether the sources are there.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  for name in cmake_configure cmake_install cmake_config_fixup fixup_pkgconfig install_copyright; do
    echo "function(vcpkg_$name)"
    # shellcheck disable=SC2016  # CMake's variable
    echo '  if(NOT EXISTS "${SOURCE_PATH}/CMakeLists.txt")'
    echo '    message(FATAL_ERROR "no sources")'
    echo '  endif()'
    echo 'endfunction()'
  done
  echo "set(CURRENT_PORT_DIR \"$PWD/docs/packaging/vcpkg/sinter\")"
  echo "set(CURRENT_PACKAGES_DIR \"$work/packages\")"
  echo "include(\"$PWD/docs/packaging/vcpkg/sinter/portfile.cmake\")"
} >"$work/port.cmake"
cmake -P "$work/port.cmake"

if command -v conan >/dev/null; then conan inspect docs/packaging/conan >/dev/null; fi
echo 'the recipes can be read'

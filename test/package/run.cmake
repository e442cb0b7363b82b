# Sinter as its users get it: a finished static build installed into `work`; a shared one, built here by the README's line;
# and its sources inside a larger build. The projects in `source` are built against them and run.

function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

# refused(<regex> <command>...): it must fail and say so.
function(refused regex)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "${regex}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} gave ${result} and does not say ${regex}:\n${output}")
  endif()
endfunction()

# configure(<source> <build> <options>...): without optimisation; this is about finding, compiling and linking.
function(configure from to)
  step("${CMAKE_COMMAND}" -S "${from}" -B "${to}" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
       -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" ${ARGN})
endfunction()

# by_hand(<prefix>): a program without CMake, by what pkg-config says.
function(by_hand prefix)
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(NOT pkg_config)
    return()
  endif()
  file(GLOB_RECURSE file "${prefix}/*/sinter.pc")
  cmake_path(GET file PARENT_PATH folder)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${folder}" "${pkg_config}" --cflags --libs sinter
                  OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  step("${compiler}" -std=c++20 "${source}/main.cpp" -o "${prefix}/by_hand" ${flags})
  cmake_path(GET folder PARENT_PATH libraries)
  step("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${libraries}" "${prefix}/by_hand")
endfunction()

# From nothing each time: a header that is no longer installed must not be found in last week's copy.
file(REMOVE_RECURSE "${work}")

# ---- static
step("${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/static")
configure("${source}" "${work}/with_static" "-DCMAKE_PREFIX_PATH=${work}/static")
step("${CMAKE_COMMAND}" --build "${work}/with_static")
step("${work}/with_static/package_test")
by_hand("${work}/static")
# Two copies in one process: refused in either order.
foreach(program sinter_first user_first)
  refused("two copies of Sinter, in .*${program}.* and in .*libuser.so" "${work}/with_static/${program}")
endforeach()

# ---- shared: no test package is asked for to build it, nor TBB or xxHash to use it
set(no_test_packages -DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON)
configure("${root}" "${work}/shared_build" -DSINTER_BUILD_TESTS=OFF -DSINTER_BUILD_SAMPLES=OFF -DBUILD_SHARED_LIBS=ON
          -DSINTER_WERROR=ON ${no_test_packages})
step("${CMAKE_COMMAND}" --build "${work}/shared_build")
step("${CMAKE_COMMAND}" --install "${work}/shared_build" --prefix "${work}/shared")
configure("${source}" "${work}/with_shared" "-DCMAKE_PREFIX_PATH=${work}/shared" "-Dplugin=${root}/test/plugin"
          -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON -DCMAKE_DISABLE_FIND_PACKAGE_Threads=ON)
step("${CMAKE_COMMAND}" --build "${work}/with_shared")
file(GLOB installed "${work}/shared/*/cmake/sinter/*.cmake" "${work}/shared/*/*/cmake/sinter/*.cmake")
foreach(file IN LISTS installed)
  file(STRINGS "${file}" asks REGEX "TBB|xxhash")
  if(asks)
    message(FATAL_ERROR "${file} asks for ${asks}")
  endif()
endforeach()
foreach(program package_test sinter_first user_first)
  step("${work}/with_shared/${program}")
endforeach()
step("${work}/with_shared/plugin_host" "${work}/with_shared/libplugin_beside_sinter.so")
by_hand("${work}/shared")

# ---- as Debian packages: what a program needs to run, what it takes to be built, and what there is to read
find_program(shlibdeps dpkg-shlibdeps)
find_program(dpkg_deb dpkg-deb)
find_program(file_kind file)
if(shlibdeps AND dpkg_deb AND file_kind)
  cmake_path(GET CMAKE_COMMAND PARENT_PATH tools)
  step("${tools}/cpack" --config "${work}/shared_build/CPackConfig.cmake" -G DEB -B "${work}/debs"
       -D CPACK_PACKAGING_INSTALL_PREFIX=/usr)
  # field(<package> <field> <regex>)
  function(field package name regex)
    file(GLOB deb "${work}/debs/${package}_*.deb")
    execute_process(COMMAND "${dpkg_deb}" -f "${deb}" "${name}" OUTPUT_VARIABLE value COMMAND_ERROR_IS_FATAL ANY)
    if(NOT value MATCHES "${regex}")
      message(FATAL_ERROR "${package} has ${name}: ${value}, and not ${regex}")
    endif()
  endfunction()
  field(libsinter0.1 Depends "libc6.*libtbb")
  field(libsinter0.1 Recommends "c-compiler")
  field(libsinter-dev Depends "^libsinter0.1 \\(= 0\\.1\\.[0-9]+\\)")
  field(sinter-doc Architecture "^all")
  # has(<package> <path>) and lacks(<package> <path>)
  function(has package path)
    file(GLOB deb "${work}/debs/${package}_*.deb")
    step("${dpkg_deb}" -x "${deb}" "${work}/debs/${package}")
    file(GLOB_RECURSE found "${work}/debs/${package}/usr/${path}")
    if(NOT found)
      message(FATAL_ERROR "${package} has no ${path}")
    endif()
  endfunction()
  has(libsinter0.1 "lib/libsinter.so.0.1*")
  has(libsinter-dev "include/sinter/sinter.hpp")
  has(libsinter-dev "lib/libsinter.so")
  has(libsinter-dev "lib/pkgconfig/sinter.pc")
  has(sinter-doc "share/doc/sinter/docs/CHANGELOG.md")
  has(sinter-doc "share/doc/sinter/examples/01_first_expression.cpp")
  file(GLOB_RECURSE too_much "${work}/debs/libsinter0.1/*.hpp" "${work}/debs/libsinter0.1/*.cmake" "${work}/debs/libsinter-dev/*.md")
  if(too_much)
    message(FATAL_ERROR "in the wrong package: ${too_much}")
  endif()
  # Both, as they would lie in a system.
  foreach(package libsinter0.1 libsinter-dev)
    file(GLOB deb "${work}/debs/${package}_*.deb")
    step("${dpkg_deb}" -x "${deb}" "${work}/debs/root")
  endforeach()
  configure("${source}" "${work}/with_debs" "-DCMAKE_PREFIX_PATH=${work}/debs/root/usr")
  step("${CMAKE_COMMAND}" --build "${work}/with_debs" --target package_test)
  step("${work}/with_debs/package_test")
  by_hand("${work}/debs/root/usr")
endif()

# ---- as a part of a larger build
configure("${source}/parent" "${work}/parent" "-Dsinter=${root}" ${no_test_packages})

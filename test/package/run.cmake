# Installs a finished build into `work`, builds the project in `source` against it, and runs it.

function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

# From nothing each time: a header that is no longer installed must not be found in last week's copy.
file(REMOVE_RECURSE "${work}")
step("${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/prefix")
# No optimisation: this is about finding, compiling and linking.
step("${CMAKE_COMMAND}" -S "${source}" -B "${work}/build" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
     -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS=-O0 "-DCMAKE_PREFIX_PATH=${work}/prefix")
step("${CMAKE_COMMAND}" --build "${work}/build")
step("${work}/build/package_test")

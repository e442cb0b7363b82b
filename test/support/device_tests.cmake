# sinter_test: one ctest entry, on one device where DEVICE names one.
#
#   sinter_test(<name> [DEVICE cpu|interpreter|softgpu|cuda] [ENVIRONMENT <name>=<value>...] COMMAND <program> <arguments>...)
#
# softgpu is the CUDA device over a stand-in for the driver (test/support/softgpu), which runs the generated CUDA text on the
# CPU; an entry fails where it has seen an access without an order.
#
# Every entry has its own kernel cache under the build folder, empty at the start of each run of ctest: the user's cache is
# left alone, and a count of compilations is the same on the tenth run as on the first. Entries for cuda exist only where the
# driver's device files do, which is looked at when ctest runs: a build folder may have been made on another machine. Where
# the files are there but the device is not, the program says so and ctest reports the entry as skipped.

set(SINTER_TEST_CACHES "${PROJECT_BINARY_DIR}/test/caches")

# What compiles kernels for those tests, and for softgpu, remembers it from one run to the next (test/support/kept_compiler): of the
# time of all tests, two thirds would go into compiling what the run before had compiled. For gcc, whose options Sinter chooses by its
# name. -D SINTER_TEST_KEEPS_IMAGES=OFF compiles everything anew.
option(SINTER_TEST_KEEPS_IMAGES "Keep what the tests' kernels are compiled to for the next run" ON)
mark_as_advanced(SINTER_TEST_KEEPS_IMAGES)
set(SINTER_TEST_IMAGES "${PROJECT_BINARY_DIR}/test/images")
set(SINTER_KEPT_COMPILERS "${PROJECT_BINARY_DIR}/test/compilers")
find_program(sinter_cc NAMES cc NO_CACHE)
find_program(sinter_gxx NAMES g++ NO_CACHE)
file(REAL_PATH "${sinter_cc}" sinter_cc)
if(SINTER_TEST_KEEPS_IMAGES AND sinter_gxx AND sinter_cc AND NOT sinter_cc MATCHES "clang")
  set(kept_compilers "SINTER_CC=${SINTER_KEPT_COMPILERS}/kept_cc" "SOFTGPU_CXX=${SINTER_KEPT_COMPILERS}/kept_g++"
      "SINTER_TEST_IMAGES=${SINTER_TEST_IMAGES}")
endif()

function(sinter_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DEVICE" "COMMAND;ENVIRONMENT")
  if(arg_DEVICE)
    string(APPEND name "@${arg_DEVICE}")
  endif()
  string(MAKE_C_IDENTIFIER "${name}" identifier)

  # A machine that does much else takes long for the largest kernels.
  set(environment "SINTER_CACHE_DIR=${SINTER_TEST_CACHES}/${identifier}" SINTER_CC_SECONDS=300 ${arg_ENVIRONMENT})
  if(arg_DEVICE)  # not for tests of the compilers themselves
    list(APPEND environment ${kept_compilers})
  endif()
  if(arg_DEVICE STREQUAL "softgpu")
    list(APPEND environment "SINTER_DEVICE=cuda" "SINTER_CUDA_DRIVER=$<TARGET_FILE:sinter_softgpu>"
         "SINTER_NVRTC=$<TARGET_FILE:sinter_softgpu>" "SINTER_CUBLAS=$<TARGET_FILE:sinter_softgpu>"
         "SINTER_CUBLASLT=$<TARGET_FILE:sinter_softgpu>" "SINTER_CUFFT=$<TARGET_FILE:sinter_softgpu>"
         "SINTER_CUSOLVER=$<TARGET_FILE:sinter_softgpu>" "SINTER_CUDSS=$<TARGET_FILE:sinter_softgpu>" "SOFTGPU_FATAL=1")
  elseif(arg_DEVICE)
    list(APPEND environment "SINTER_DEVICE=${arg_DEVICE}")
  endif()
  if(SINTER_SANITIZE STREQUAL "thread")
    list(APPEND environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/support/tsan.supp")
  endif()

  if(NOT arg_DEVICE STREQUAL "cuda")
    add_test(NAME ${name} COMMAND ${arg_COMMAND})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" FIXTURES_REQUIRED caches TIMEOUT 600
                         SKIP_RETURN_CODE 77 LABELS "${arg_DEVICE}")
    return()
  endif()

  # One at a time: tests on a GPU share its memory.
  list(TRANSFORM arg_COMMAND REPLACE "(.+)" "[==[\\1]==]")
  list(JOIN arg_COMMAND " " command)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/cuda_tests/${identifier}.cmake")
  file(GENERATE OUTPUT "${file}" CONTENT "if(EXISTS \"/dev/nvidiactl\" OR EXISTS \"/dev/nvidia0\")
  add_test([==[${name}]==] ${command})
  set_tests_properties([==[${name}]==] PROPERTIES ENVIRONMENT [==[${environment}]==] FIXTURES_REQUIRED caches TIMEOUT 600
                       SKIP_RETURN_CODE 77 SKIP_REGULAR_EXPRESSION \"^sinter: skipped\" LABELS cuda RESOURCE_LOCK gpu)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${file}")
endfunction()

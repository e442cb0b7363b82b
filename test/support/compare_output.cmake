# Runs a program and compares what it prints with a file, byte for byte.
#
#   cmake -D program=... -D expected=... [-D directory=...] [-D probe=...] [-D hint=...] -P compare_output.cmake
#
#   directory  where it runs; made if missing
#   probe      a program that answers 77 where the device asked for is not there; then nothing is compared
#   hint       how to renew the file

if(DEFINED probe)
  execute_process(COMMAND "${probe}" --count RESULT_VARIABLE answer OUTPUT_QUIET ERROR_QUIET)
  if(answer EQUAL 77)
    message("sinter: skipped, there is no such device")
    return()
  endif()
endif()

if(NOT DEFINED directory)
  set(directory "${CMAKE_CURRENT_BINARY_DIR}")
endif()
file(MAKE_DIRECTORY "${directory}")
get_filename_component(stem "${expected}" NAME)
set(actual "${directory}/${stem}.actual")

execute_process(COMMAND "${program}" WORKING_DIRECTORY "${directory}" OUTPUT_FILE "${actual}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${program} ended with ${result}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files "${expected}" "${actual}" RESULT_VARIABLE differs ERROR_QUIET)
if(differs)
  execute_process(COMMAND diff -u "${expected}" "${actual}")
  message(FATAL_ERROR "${program} does not print what ${expected} holds. ${hint}")
endif()

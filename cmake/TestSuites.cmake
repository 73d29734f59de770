# Run behind the linking of a test program (tests/CMakeLists.txt): writes OUTPUT, which makes each suite of PROGRAM a
# test of ctest. A process for a suite, not for a case: 1,400 starts of a program take longer than what they test.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${failed}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(content "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z_0-9/]+)\\.")
    set(suite ${CMAKE_MATCH_1})
    string(APPEND content "add_test([=[${suite}]=] ${PROGRAM} [=[--gtest_filter=${suite}.*]=])\n"
           "set_tests_properties([=[${suite}]=] PROPERTIES TIMEOUT 900 LABELS ${LABELS}\n"
           # Nothing passed, all skipped.
           "  SKIP_REGULAR_EXPRESSION [=[PASSED  \\] 0 tests]=])\n")
  endif()
endforeach()
if(content STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE ${OUTPUT} "${content}")

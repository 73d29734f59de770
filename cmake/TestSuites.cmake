# Run behind the linking of a test program (tests/CMakeLists.txt): writes OUTPUT, which makes each suite of PROGRAM, or
# with CASES each case, a test of ctest. Suites, since 1,400 starts of a program take longer than what they test. A case
# whose name ends in _exhaustive is a test of its own, with the label long. WORDS stand before each command, with |
# between them.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${failed}")
endif()
string(REPLACE "|" "]=] [=[" words "${WORDS}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(content "")
function(add_one name filter labels)
  string(APPEND content "add_test([=[${name}]=] [=[${words}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${filter}]=])\n"
         "set_tests_properties([=[${name}]=] PROPERTIES TIMEOUT 900 LABELS ${labels}\n"
         # Nothing passed, some were skipped, and none of them failed, which is said after that.
         "  SKIP_REGULAR_EXPRESSION [=[PASSED  \\] 0 tests\\.[^a-zA-Z]*SKIPPED([^F]|F[^A])*$]=])\n")
  set(content "${content}" PARENT_SCOPE)
endfunction()
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z_0-9/]+)\\.")
    set(suite ${CMAKE_MATCH_1})
    set(is_added ${CASES})
  elseif(line MATCHES "^  ([A-Za-z_0-9/]+)")
    set(name ${suite}.${CMAKE_MATCH_1})
    if(name MATCHES "_exhaustive$")
      add_one(${name} ${name} long)
    elseif(CASES)
      add_one(${name} ${name} ${LABELS})
    elseif(NOT is_added)
      add_one(${suite} ${suite}.*-*_exhaustive ${LABELS})
      set(is_added TRUE)
    endif()
  endif()
endforeach()
if(content STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE ${OUTPUT} "${content}")

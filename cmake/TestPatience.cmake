# Read by ctest before the lists of tests (TEST_INCLUDE_FILES): with DUCTILE_TEST_PATIENCE=N in its environment each test has N
# times its limit of time.
if(DEFINED ENV{DUCTILE_TEST_PATIENCE})
  # Arguments are passed on one by one: a list, as of labels, stays whole only between brackets.
  function(set_tests_properties)
    set(call)
    set(before)
    math(EXPR last "${ARGC} - 1")
    foreach(i RANGE ${last})
      set(word "${ARGV${i}}")
      if(before STREQUAL "TIMEOUT")
        math(EXPR word "${word} * $ENV{DUCTILE_TEST_PATIENCE}")
      endif()
      string(APPEND call " [==[${word}]==]")
      set(before "${word}")
    endforeach()
    cmake_language(EVAL CODE "_set_tests_properties(${call})")
  endfunction()
endif()

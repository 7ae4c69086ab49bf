# ductile_pure_test(FOLDER/NAME [LIBS ...]): one executable from tests/FOLDER/NAME_test.cpp that starts no process
# and needs no MPI. It links the floor that its folder names, and LIBS. Registered as FOLDER/NAME, label `pure`.
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

function(ductile_pure_test test)
  cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
  string(REGEX MATCH "^[^/]+" folder ${test})
  string(REPLACE "/" "_" target test_${test})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${test}_test.cpp)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(TARGET ductile_${folder})
    list(APPEND arg_LIBS ductile_${folder})
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LIBS} rapidcheck_gtest rapidcheck GTest::gtest_main ductile_flags)
  add_test(NAME ${test} COMMAND ${target})
  set_tests_properties(${test} PROPERTIES LABELS pure TIMEOUT 120)
endfunction()

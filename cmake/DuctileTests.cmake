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

# ductile_mpi_test(FOLDER/NAME RANKS n ... [ARGS ...] [NAME name]): a program from tests/FOLDER/NAME_test.cpp with a main of
# its own, run with each number of ranks. Registered as FOLDER/NAME.n, label `mpi`.
function(ductile_mpi_test test)
  cmake_parse_arguments(arg "" "NAME" "RANKS;ARGS" ${ARGN})
  string(REGEX MATCH "^[^/]+" folder ${test})
  string(REPLACE "/" "_" target test_${test})
  if(NOT TARGET ${target})
    add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${test}_test.cpp)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    set(floor ductile_${folder})
    if(folder STREQUAL job)
      set(floor ductile::ductile)  # the public face is the library
    endif()
    target_link_libraries(${target} PRIVATE ${floor} ductile_flags)
  endif()
  set(name ${test})
  if(arg_NAME)
    set(name ${folder}/${arg_NAME})
  endif()
  ductile_mpi_runs(${name} ${target} RANKS ${arg_RANKS} ARGS ${arg_ARGS})
endfunction()

# ductile_mpi_runs(NAME TARGET RANKS n ... [ARGS ...]): runs a program with each number of ranks, as NAME.n (tests/with_ranks).
function(ductile_mpi_runs name target)
  cmake_parse_arguments(arg "" "" "RANKS;ARGS" ${ARGN})
  foreach(ranks ${arg_RANKS})
    add_test(NAME ${name}.${ranks} COMMAND ${PROJECT_SOURCE_DIR}/tests/with_ranks ${ranks} $<TARGET_FILE:${target}> ${arg_ARGS})
    set_tests_properties(${name}.${ranks} PROPERTIES LABELS mpi TIMEOUT 120 SKIP_RETURN_CODE 77 RUN_SERIAL ON
      ENVIRONMENT "MPIEXEC=${DUCTILE_MPIEXEC};DUCTILE_PROGRAM=$<TARGET_FILE:ductile>")
  endforeach()
endfunction()

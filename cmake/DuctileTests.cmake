# ductile_test(FOLDER/NAME [LABEL label] [LIBS ...] [ENVIRONMENT ...]): the tests of tests/FOLDER/NAME_test.cpp, by GoogleTest.
# All files of a folder are one program, test_FOLDER, which links the floor that the folder names, and LIBS. Each file is a
# test of its own, FOLDER/NAME. Labels: pure (the default: starts no process, needs no MPI), process (starts some), mpi.
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

function(ductile_test test)
  cmake_parse_arguments(arg "" "LABEL" "LIBS;ENVIRONMENT" ${ARGN})
  string(REGEX MATCH "^[^/]+" folder ${test})
  set(target test_${folder})
  set(source ${PROJECT_SOURCE_DIR}/tests/${test}_test.cpp)
  if(NOT TARGET ${target})
    add_executable(${target})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${target} PRIVATE rapidcheck_gtest rapidcheck GTest::gtest_main ductile_flags)
    if(TARGET ductile_${folder})
      target_link_libraries(${target} PRIVATE ductile_${folder})
    endif()
  endif()
  target_sources(${target} PRIVATE ${source})
  target_link_libraries(${target} PRIVATE ${arg_LIBS})
  add_test(NAME ${test} COMMAND ${PROJECT_SOURCE_DIR}/tests/of_file ${source} $<TARGET_FILE:${target}>)
  if(NOT arg_LABEL)
    set(arg_LABEL pure)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 120 ENVIRONMENT "${arg_ENVIRONMENT}")
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

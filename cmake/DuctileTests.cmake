# ductile_test(FOLDER/NAME [LABEL label] [LIBS ...] [ENVIRONMENT ...]): the tests of tests/FOLDER/NAME_test.cpp, by GoogleTest.
# All files of a folder are one program, test_FOLDER, which links the floor that the folder names, and LIBS. Each file is a
# test of its own, FOLDER/NAME. Labels: pure (the default: starts no process, needs no MPI), process (starts some), mpi, and slow
# (may start processes or need MPI, and takes long). Tests with the label mpi or slow run under tests/isolated.
set(DUCTILE_TEST_LIMIT 120 CACHE STRING "how many seconds the tests of a file may take")
set(DUCTILE_PROPERTY_CASES "" CACHE STRING "how many cases a property is tried with; empty: as many as its test says")
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

function(ductile_test test)
  cmake_parse_arguments(arg "" "LABEL" "LIBS;ENVIRONMENT" ${ARGN})
  string(REGEX MATCH "^[^/]+" folder ${test})
  set(target test_${folder})
  set(source ${PROJECT_SOURCE_DIR}/tests/${test}_test.cpp)
  if(NOT TARGET ${target})
    add_executable(${target})
    # Four files are compiled as one. With more, it would take too long to compile a change of one file. Each file has a namespace
    # of its own, named like the file.
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
      UNITY_BUILD ${DUCTILE_UNITY} UNITY_BUILD_BATCH_SIZE 4)
    # Files that are compiled together are included by their absolute paths, and every EXPECT contains the path of its file.
    # Without this option ccache could not use the results of another clone.
    target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
    target_link_libraries(${target} PRIVATE rapidcheck_gtest rapidcheck GTest::gtest_main ductile_flags)
    if(TARGET ductile_${folder})
      target_link_libraries(${target} PRIVATE ductile_${folder})
    endif()
  endif()
  target_sources(${target} PRIVATE ${source})
  target_link_libraries(${target} PRIVATE ${arg_LIBS})
  if(NOT arg_LABEL)
    set(arg_LABEL pure)
  endif()
  set(isolated)
  if(arg_LABEL MATCHES "^(mpi|slow)$")
    set(isolated ${PROJECT_SOURCE_DIR}/tests/isolated)
  endif()
  if(DUCTILE_PROPERTY_CASES)
    list(TRANSFORM arg_ENVIRONMENT REPLACE "max_success=[0-9]+" "max_success=${DUCTILE_PROPERTY_CASES}")
  endif()
  add_test(NAME ${test} COMMAND ${isolated} ${PROJECT_SOURCE_DIR}/tests/of_file ${source} $<TARGET_FILE:${target}>)
  set_tests_properties(${test} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${DUCTILE_TEST_LIMIT}
    ENVIRONMENT "${arg_ENVIRONMENT}")
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
      set(floor ductile::ductile)  # the library itself is the public interface
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
    add_test(NAME ${name}.${ranks} COMMAND ${PROJECT_SOURCE_DIR}/tests/isolated ${PROJECT_SOURCE_DIR}/tests/with_ranks
      ${ranks} $<TARGET_FILE:${target}> ${arg_ARGS})
    set_tests_properties(${name}.${ranks} PROPERTIES LABELS mpi TIMEOUT ${DUCTILE_TEST_LIMIT} SKIP_RETURN_CODE 77 RUN_SERIAL ON
      ENVIRONMENT "MPIEXEC=${DUCTILE_MPIEXEC};DUCTILE_PROGRAM=$<TARGET_FILE:ductile>")
  endforeach()
endfunction()

# ductile_python_tests([FILES ...] [WHOLE name] [SELECT words] LABEL label TIMEOUT seconds [WRAPPER command...] [ENVIRONMENT ...]
# [PROPERTIES ...]): a test for each case of the Python tests of this folder, all *_test.py of it or FILES, by pytest. Names,
# labels and time limits of the cases are in the files (tests/python_cases.py). With WHOLE all cases of FILES are one test of that
# name, or those that pytest selects by SELECT. build/tests/FOLDER.env has the environment, for pytest by hand.
function(ductile_python_tests)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT;WHOLE;SELECT" "FILES;WRAPPER;ENVIRONMENT;PROPERTIES" ${ARGN})
  if(NOT DUCTILE_TEST_PYTHON)
    return()
  endif()
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  list(APPEND arg_ENVIRONMENT PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE=1)
  get_property(written DIRECTORY PROPERTY ductile_python_environment)
  if(NOT written)
    set_property(DIRECTORY PROPERTY ductile_python_environment yes)
    list(JOIN arg_ENVIRONMENT "'\n" lines)
    string(REGEX REPLACE "(^|\n)([A-Z0-9_]+)=" "\\1\\2='" lines "${lines}")
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/tests/${folder}.env CONTENT "${lines}'\n")
  endif()
  set(pytest ${arg_WRAPPER} ${DUCTILE_TEST_PYTHON} -u -W ignore -m pytest)
  set(properties LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77 ${arg_PROPERTIES})
  if(NOT arg_FILES)
    file(GLOB arg_FILES CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_test.py)
  endif()
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)

  if(arg_WHOLE)
    if(arg_SELECT)
      list(APPEND arg_FILES -k ${arg_SELECT})
    endif()
    add_test(NAME ${folder}/${arg_WHOLE} COMMAND ${pytest} ${arg_FILES})
    set_tests_properties(${folder}/${arg_WHOLE} PROPERTIES ${properties} ENVIRONMENT "${arg_ENVIRONMENT}")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_FILES} ${PROJECT_SOURCE_DIR}/tests/python_cases.py)
  execute_process(COMMAND ${DUCTILE_TEST_PYTHON} ${PROJECT_SOURCE_DIR}/tests/python_cases.py ${arg_FILES}
    OUTPUT_VARIABLE cases ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "The cases of tests/${folder} cannot be listed: ${why}")
  endif()
  string(REGEX MATCHALL "[^\n]+" cases "${cases}")
  foreach(case IN LISTS cases)
    string(REGEX MATCH "^([^|]+)[|]([^|]+)[|]([^|]+)[|]([^|]*)[|](.*)$" all "${case}")
    set(name ${folder}/${CMAKE_MATCH_2})
    set(labels ${CMAKE_MATCH_4})
    set(limit ${CMAKE_MATCH_5})
    add_test(NAME ${name} COMMAND ${pytest} "${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_1}::${CMAKE_MATCH_3}")
    set_tests_properties(${name} PROPERTIES ${properties} ENVIRONMENT "${arg_ENVIRONMENT}")
    if(limit)
      set_tests_properties(${name} PROPERTIES TIMEOUT ${limit})
    endif()
    if(labels MATCHES "alone")
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
    string(REPLACE "," ";" labels "${labels}")
    if(labels MATCHES "cluster|matrix")  # these labels replace the label of the folder
      set_property(TEST ${name} PROPERTY LABELS "")
    endif()
    set_property(TEST ${name} APPEND PROPERTY LABELS ${labels})
  endforeach()
endfunction()

# Sets DUCTILE_TEST_PYTHON if it is not set, or names no file: to the Python of scripts/setup, or to the Python of the machine. The
# Python must have pytest.
function(find_test_python)
  set(DUCTILE_TEST_PYTHON "" CACHE FILEPATH "A Python with pytest, for the tests in Python")
  if(EXISTS "${DUCTILE_TEST_PYTHON}")
    return()
  endif()
  find_package(Python3 COMPONENTS Interpreter)
  foreach(python ${PROJECT_SOURCE_DIR}/build/checks/bin/python ${Python3_EXECUTABLE})
    execute_process(COMMAND ${python} -c "import pytest" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed STREQUAL "0")
      set_property(CACHE DUCTILE_TEST_PYTHON PROPERTY VALUE ${python})
      return()
    endif()
  endforeach()
  set_property(CACHE DUCTILE_TEST_PYTHON PROPERTY VALUE "")
  message(WARNING "No pytest: the tests in Python are left out. Run scripts/setup, or install pytest, or pass "
    "-DDUCTILE_TEST_PYTHON=PYTHON for a Python that has it; then configure again.")
endfunction()

find_test_python()

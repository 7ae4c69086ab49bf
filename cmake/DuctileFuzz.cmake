# Fuzz targets (docs/fuzzing.md). With DUCTILE_FUZZ everything is built for libFuzzer, which needs clang. Without it the same
# targets are ordinary tests that replay known inputs.
option(DUCTILE_FUZZ "build the fuzz targets, and nothing else of the tests (needs clang)" OFF)

if(DUCTILE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "DUCTILE_FUZZ needs clang, which has libFuzzer, and this compiler is ${CMAKE_CXX_COMPILER_ID}: "
      "run scripts/fuzz, or pass -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ for a new build folder")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # Debian's library of toml++ is not instrumented; as headers the parser is.
  set_target_properties(tomlplusplus::tomlplusplus PROPERTIES INTERFACE_COMPILE_OPTIONS -DTOML_HEADER_ONLY=1
    INTERFACE_COMPILE_DEFINITIONS "")
endif()

# ductile_fuzz_target(NAME LIBS ...): the parser in tests/fuzz/NAME_fuzz.cpp. With DUCTILE_FUZZ the program bin/NAME of the build
# folder, which `fuzzers` builds; without it the test fuzz/NAME, label `pure`, that replays tests/fuzz/corpus/NAME and the
# generated seeds.
function(ductile_fuzz_target name)
  cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
  set(target fuzz_${name})
  set(folder ${PROJECT_SOURCE_DIR}/tests/fuzz)
  add_executable(${target} ${folder}/${name}_fuzz.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${arg_LIBS} ductile_flags)
  add_dependencies(${target} fuzz_seeds)
  if(DUCTILE_FUZZ)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${target})
  else()
    target_sources(${target} PRIVATE ${folder}/replay_main.cpp)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME fuzz/${name} COMMAND ${target} ${folder}/corpus/${name} ${DUCTILE_FUZZ_SEEDS}/${name})
    set_tests_properties(fuzz/${name} PROPERTIES LABELS pure TIMEOUT 120)
  endif()
endfunction()

# ductile_floor(NAME SOURCES ... DEPS ...): a library of a floor (docs/architecture.md), as a static library.
# Pure floors do not link MPI, so a plain compiler finds no mpi.h there.
add_library(ductile_flags INTERFACE)
target_include_directories(ductile_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(ductile_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  $<$<BOOL:${DUCTILE_WERROR}>:-Werror>)
# GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ductile_flags INTERFACE -Wno-restrict)
endif()

# Several files of a folder are compiled as one, which makes a build from scratch three times as fast. GCC then treats each .cpp as
# a header, and warns about members whose types are in an anonymous namespace.
option(DUCTILE_UNITY "compile files of a folder together" ON)
set(CMAKE_UNITY_BUILD ${DUCTILE_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
if(DUCTILE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(ductile_flags INTERFACE -Wno-subobject-linkage)
endif()
function(ductile_floor name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(ductile_${name} STATIC ${arg_SOURCES})
  target_link_libraries(ductile_${name} PUBLIC ${arg_DEPS} PRIVATE ductile_flags)
  target_include_directories(ductile_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
endfunction()

# ductile_companion(NAME SOURCES ... DEPS ...): a program that Ductile starts itself (libexec/ductile).
function(ductile_companion name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(ductile-${name} ${arg_SOURCES})
  set_target_properties(ductile-${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${DUCTILE_LIBEXEC_OUTPUT})
  target_link_libraries(ductile-${name} PRIVATE ${arg_DEPS} ductile_flags)
  install(TARGETS ductile-${name} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ductile)
endfunction()

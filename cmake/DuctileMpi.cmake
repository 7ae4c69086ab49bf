# Finding an MPI in a prefix and telling which one it is. Used by Ductile's own build and, installed, by ductileConfig.cmake.

# ductile_find_mpi(PREFIX ABI): finds the MPI in PREFIX. If ABI is true, finds its library for the MPI 5.0 standard ABI
# (libmpi_abi): this interface is the same for every MPI that has it. Sets in the caller's scope
#   ductile_found_include   folder of mpi.h
#   ductile_found_library   libmpi, or libmpi_abi
#   ductile_found_identity  what ductile_identify_mpi returns, or "the MPI 5.0 ABI"
# A value is empty if PREFIX does not have it.
function(ductile_find_mpi prefix abi)
  set(names mpi mpich)
  if(abi)
    set(names mpi_abi)
  endif()
  set(architecture ${CMAKE_LIBRARY_ARCHITECTURE})
  find_path(include mpi.h NO_CACHE NO_DEFAULT_PATH
    PATHS ${prefix}/include ${prefix}/include/${architecture}/mpi ${prefix}/include/${architecture}/mpich)
  find_library(library NAMES ${names} NO_CACHE NO_DEFAULT_PATH
    PATHS ${prefix}/lib ${prefix}/lib64 ${prefix}/lib/${architecture} ${prefix}/lib/release)
  set(identity "")
  if(include)
    string(REGEX REPLACE "/$" "" include ${include})
    ductile_identify_mpi(${include}/mpi.h identity)
  else()
    set(include "")
  endif()
  if(abi AND include AND library)
    set(identity "the MPI 5.0 ABI")
  endif()
  if(NOT library)
    set(library "")
  endif()
  foreach(what include library identity)
    set(ductile_found_${what} "${${what}}" PARENT_SCOPE)
  endforeach()
endfunction()

# ductile_identify_mpi(HEADER RESULT): implementation and version as this mpi.h tells them: "MPICH 5.0.2", "Open MPI 4.1.4",
# "Intel MPI 2021.19.0", "an unknown MPI". Two MPIs with the same identity have the same binary interface.
function(ductile_identify_mpi header result)
  file(STRINGS ${header} lines REGEX "^#[ \t]*define[ \t]+(I_MPI_VERSION|MPICH_VERSION|OMPI_(MAJOR|MINOR|RELEASE)_VERSION)[ \t]")
  foreach(line IN LISTS lines)
    if(line MATCHES "define[ \t]+([A-Z_]+)[ \t]+\"?([^\" \t]+)")
      set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  if(I_MPI_VERSION)
    set(identity "Intel MPI ${I_MPI_VERSION}")
  elseif(MPICH_VERSION)
    set(identity "MPICH ${MPICH_VERSION}")
  elseif(DEFINED OMPI_MAJOR_VERSION)
    set(identity "Open MPI ${OMPI_MAJOR_VERSION}.${OMPI_MINOR_VERSION}.${OMPI_RELEASE_VERSION}")
  else()
    set(identity "an unknown MPI")
  endif()
  set(${result} "${identity}" PARENT_SCOPE)
endfunction()

# ductile_library_name(LIBRARY RESULT): the soname of LIBRARY, such as "libmpi.so.12". Programs that are linked with LIBRARY look
# for it by this name. LIBRARY may be a linker script that names the library, as in the Python packages of an MPI.
function(ductile_library_name library result)
  get_filename_component(folder ${library} DIRECTORY)
  get_filename_component(name ${library} NAME)
  file(SIZE ${library} size)
  if(size LESS 1000)
    file(READ ${library} script)
    if(script MATCHES "INPUT\\( *([^ )]+)")
      get_filename_component(name ${CMAKE_MATCH_1} NAME)
    endif()
  endif()
  execute_process(COMMAND ${CMAKE_READELF} -d ${folder}/${name} OUTPUT_VARIABLE dynamic_section ERROR_QUIET)
  if(dynamic_section MATCHES "soname: \\[([^]]+)\\]")
    set(name ${CMAKE_MATCH_1})
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# Dependencies are found, never downloaded behind the builder's back. MPI_HOME names the MPI prefix
# (bin/mpiexec, include/mpi.h, lib/libmpi.so); ./scripts/setup passes the one it installed.
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)

add_library(ductile_asio INTERFACE)
target_include_directories(ductile_asio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
target_compile_definitions(ductile_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
target_link_libraries(ductile_asio INTERFACE Threads::Threads OpenSSL::SSL)

add_library(ductile_cli11 INTERFACE)
target_include_directories(ductile_cli11 SYSTEM INTERFACE ${CLI11_INCLUDE_DIR})

include(DuctileMpi)
set(MPI_HOME "" CACHE PATH "prefix of the MPI that Ductile is built for (bin/mpiexec, include/mpi.h, lib)")
if(NOT MPI_HOME)
  message(FATAL_ERROR "no MPI: pass -DMPI_HOME=PREFIX, or run ./scripts/setup, which installs MPICH 5.0.2 into build/mpi")
endif()
ductile_find_mpi(${MPI_HOME})
if(NOT ductile_found_include OR NOT ductile_found_library)
  message(FATAL_ERROR "no MPI in ${MPI_HOME}: looked for include/mpi.h and lib/libmpi.so; pass -DMPI_HOME=PREFIX")
endif()
set(DUCTILE_MPI_INCLUDE ${ductile_found_include})
set(DUCTILE_MPI_LIBRARY ${ductile_found_library})
set(DUCTILE_MPI_IDENTITY ${ductile_found_identity})
find_program(DUCTILE_MPIEXEC NAMES mpiexec.hydra mpiexec PATHS ${MPI_HOME}/bin NO_DEFAULT_PATH NO_CACHE REQUIRED)
execute_process(COMMAND ${DUCTILE_MPIEXEC} --version OUTPUT_VARIABLE DUCTILE_MPI_VERSION_TEXT TIMEOUT 20
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" DUCTILE_MPI_VERSION "${DUCTILE_MPI_VERSION_TEXT}")

ductile_library_name(${DUCTILE_MPI_LIBRARY} DUCTILE_MPI_SONAME)

add_library(ductile_mpi_c INTERFACE)
add_library(ductile::mpi_c ALIAS ductile_mpi_c)
target_include_directories(ductile_mpi_c SYSTEM INTERFACE ${DUCTILE_MPI_INCLUDE})
target_link_libraries(ductile_mpi_c INTERFACE ${DUCTILE_MPI_LIBRARY})
target_compile_definitions(ductile_mpi_c INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)

# Adds to the install tree what no folder installs itself: the public headers, and libductile with its CMake package and its
# pkg-config file. The install tree may be moved, as long as the MPI stays in its place.
include(CMakePackageConfigHelpers)
set(DUCTILE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ductile)

install(DIRECTORY include/ductile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(TARGETS ductile_library EXPORT ductileTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ductile)
  install(TARGETS ductile ductiled RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES packaging/completion/ductile.bash RENAME ductile
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  configure_file(packaging/systemd/ductiled.service.in ${PROJECT_BINARY_DIR}/package/ductiled.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/ductiled.service DESTINATION ${CMAKE_INSTALL_DATADIR}/ductile)
  include(DuctileManPages)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ductile)
install(EXPORT ductileTargets NAMESPACE ductile:: DESTINATION ${DUCTILE_PACKAGE_DIR})

configure_package_config_file(cmake/ductileConfig.cmake.in ${PROJECT_BINARY_DIR}/package/ductileConfig.cmake
  INSTALL_DESTINATION ${DUCTILE_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/ductileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/ductileConfig.cmake
  ${PROJECT_BINARY_DIR}/package/ductileConfigVersion.cmake
  cmake/DuctileMpi.cmake
  DESTINATION ${DUCTILE_PACKAGE_DIR})

file(RELATIVE_PATH DUCTILE_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" DUCTILE_PC_TO_PREFIX ${DUCTILE_PC_TO_PREFIX})
get_filename_component(DUCTILE_MPI_LIBDIR ${DUCTILE_MPI_LIBRARY} DIRECTORY)
get_filename_component(DUCTILE_MPI_LIBNAME ${DUCTILE_MPI_LIBRARY} NAME_WE)
string(REGEX REPLACE "^lib" "" DUCTILE_MPI_LIBNAME ${DUCTILE_MPI_LIBNAME})
list(TRANSFORM DUCTILE_MPI_DEFINITIONS PREPEND -D OUTPUT_VARIABLE DUCTILE_PC_DEFINITIONS)
list(JOIN DUCTILE_PC_DEFINITIONS " " DUCTILE_PC_DEFINITIONS)
configure_file(cmake/ductile.pc.in ${PROJECT_BINARY_DIR}/package/ductile.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/ductile.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

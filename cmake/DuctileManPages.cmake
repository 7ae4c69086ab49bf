# Man pages of the commands, made from docs/commands by scripts/man. Where there is no Python they are left out.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "No Python: the man pages are left out")
  return()
endif()

set(ductile_man1 ${PROJECT_BINARY_DIR}/share/man/man1)
file(GLOB ductile_command_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/commands/*.md)
add_custom_command(OUTPUT ${ductile_man1}/ductile.1
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/man --version ${PROJECT_VERSION} ${ductile_man1}
  DEPENDS ${PROJECT_SOURCE_DIR}/scripts/man ${ductile_command_pages}
  COMMENT "Making the man pages" VERBATIM)
add_custom_target(ductile_man_pages ALL DEPENDS ${ductile_man1}/ductile.1)
install(DIRECTORY ${ductile_man1} DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.1")

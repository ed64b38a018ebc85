# SPDX-License-Identifier: Apache-2.0
# add_module(NAME storage DEPS base env … [LIBS zstd …] [SOURCES generated.cc …]): one static library a module.
#
#   milena_<name>   every .cc under src/<name>; its doors are include/milena/<name>, its rooms src/<name>
#   links_<name>    a program that holds the whole archive and only the declared DEPS: an undeclared use fails to link
#
# The doors are a header set: with -DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON each of them is compiled by itself
# (target all_verify_interface_header_sets). scripts/tidy.py reads the same DEPS lines and checks every #include
# (target module_rule, before anything is compiled).
function(add_module)
  cmake_parse_arguments(M "" "NAME" "DEPS;LIBS;SOURCES" ${ARGN})
  if(M_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_module(${M_NAME}): what is ${M_UNPARSED_ARGUMENTS}?")
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  file(GLOB_RECURSE doors CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/milena/${M_NAME}/*.h)
  set(target milena_${M_NAME})
  list(TRANSFORM M_DEPS PREPEND milena_ OUTPUT_VARIABLE deps)

  if(NOT sources AND NOT M_SOURCES)
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(${target} INTERFACE ${deps} ${M_LIBS})
    return()
  endif()

  add_library(${target} STATIC ${sources} ${M_SOURCES})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/include FILES ${doors})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${deps} ${M_LIBS} milena_flags)
  add_dependencies(${target} module_rule)
  if(M_NAME STREQUAL "base")
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/scripts/cmake/precompiled.h)
  elseif(M_NAME STREQUAL "env")
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/scripts/cmake/precompiled_asio.h)
  elseif(env IN_LIST M_DEPS)
    target_precompile_headers(${target} REUSE_FROM milena_env)
  else()
    target_precompile_headers(${target} REUSE_FROM milena_base)
  endif()

  add_executable(links_${M_NAME} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/scripts/cmake/links.cc)
  target_link_libraries(links_${M_NAME} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${target}>)
  add_dependencies(all_links links_${M_NAME})
endfunction()

add_custom_target(all_links)

# Runs again only when a source, a header or a DEPS line has changed.
file(GLOB_RECURSE module_files CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/src/*.h ${CMAKE_SOURCE_DIR}/src/*.cc ${CMAKE_SOURCE_DIR}/src/*CMakeLists.txt
  ${CMAKE_SOURCE_DIR}/include/*.h ${CMAKE_SOURCE_DIR}/scripts/tidy_rules/*.py)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/module_rule.stamp
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/scripts/tidy.py --modules ${CMAKE_SOURCE_DIR}
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/module_rule.stamp
  DEPENDS ${module_files} ${CMAKE_SOURCE_DIR}/CMakeLists.txt
  COMMENT "Checking who uses which module"
  VERBATIM)
add_custom_target(module_rule ALL DEPENDS ${CMAKE_BINARY_DIR}/module_rule.stamp)

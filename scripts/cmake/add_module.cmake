# SPDX-License-Identifier: Apache-2.0
# add_module(NAME storage DEPS base env … [LIBS zstd …] [SOURCES generated.cc …]): one static library a module.
#
#   milena_<name>   every .cc under src/<name>; its doors are include/milena/<name>, its rooms src/<name>
#   links_<name>    a program that holds the whole archive and only the declared DEPS: an undeclared use fails to link
#
# The doors are a header set: with -DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON each of them is compiled by itself
# (target all_verify_interface_header_sets). scripts/tidy.py reads the same DEPS lines and checks every #include.
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
  if(NOT M_NAME STREQUAL "base")
    target_precompile_headers(${target} REUSE_FROM milena_base)
  else()
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/scripts/cmake/precompiled.h)
  endif()

  add_executable(links_${M_NAME} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/scripts/cmake/links.cc)
  target_link_libraries(links_${M_NAME} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${target}>)
  add_dependencies(all_links links_${M_NAME})
endfunction()

add_custom_target(all_links)

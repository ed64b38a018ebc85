# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers, and what makes a build fast on two cores: mold, ccache, a precompiled header.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
# A precompiled header without times in it is the same in every clone, and so is what ccache makes of it.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# CRC-32C needs SSE4.2; every x86-64 machine since 2009 has it.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-msse4.2)
endif()

if(MILENA_SANITIZE)
  add_compile_options(-fsanitize=${MILENA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MILENA_SANITIZE})
endif()
if(MILENA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# What every target of ours gets: warnings that are errors, and the one precompiled header.
add_library(milena_flags INTERFACE)
target_compile_options(milena_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
# Asio keeps that many freed coroutine frames (and handlers) of each kind per thread for the next one; its own default
# of 2 is too few for a request that is five coroutines deep.
target_compile_definitions(milena_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=16
  SPDLOG_FMT_EXTERNAL)
target_link_libraries(milena_flags INTERFACE Threads::Threads fmt::fmt)

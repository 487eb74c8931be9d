# SPDX-License-Identifier: Apache-2.0
# The functions through which every folder declares its targets, so that flags, warnings and output
# places are decided once. Each refuses arguments it does not know.
include_guard()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${ASSAY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASSAY_CCACHE})
endif()

# Flags for every target of ours, as an interface target: third-party code never links it.
add_library(assay_flags INTERFACE)
target_compile_options(assay_flags INTERFACE -Wall -Wextra -Wpedantic
                       $<$<BOOL:${ASSAY_WERROR}>:-Werror>
                       # A broken invariant names its file from the root, on every machine alike.
                       -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(ASSAY_SANITIZE)
  target_compile_options(assay_flags INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(assay_flags INTERFACE -fsanitize=address,undefined)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(ASSAY_MOLD mold)
  if(ASSAY_MOLD)
    target_link_options(assay_flags INTERFACE -fuse-ld=mold)
  else()
    target_link_options(assay_flags INTERFACE -fuse-ld=lld)
  endif()
endif()

# Fails the configuration if a helper was given an argument it has no name for, or lacks a required one.
macro(_assay_check_arguments function)
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${function}: no value after: ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(required ${ARGN})
    if(NOT ARG_${required})
      message(FATAL_ERROR "${function}: ${required} is missing")
    endif()
  endforeach()
endmacro()

# assay_library(NAME <folder> [SOURCES ...] [HEADERS ...] [DEPENDS ...] [PRIVATE_DEPENDS ...]
#               [COMPILE_OPTIONS ...])
#
# The library assay_<NAME> of one folder; without SOURCES it is an INTERFACE library. HEADERS are
# compiled alone by the target all_verify_interface_header_sets. DEPENDS reach whoever links the
# library, PRIVATE_DEPENDS do not: a third-party library that no header of ours includes goes there.
function(assay_library)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME"
                        "SOURCES;HEADERS;DEPENDS;PRIVATE_DEPENDS;COMPILE_OPTIONS")
  _assay_check_arguments(assay_library NAME)
  set(target assay_${ARG_NAME})
  if(ARG_SOURCES)
    set(scope PUBLIC)
    add_library(${target} ${ARG_SOURCES})
    target_link_libraries(${target} PRIVATE assay_flags ${ARG_PRIVATE_DEPENDS})
    target_compile_options(${target} PRIVATE ${ARG_COMPILE_OPTIONS})
    if(BUILD_SHARED_LIBS AND NOT ASSAY_SANITIZE)
      target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
    set_property(GLOBAL APPEND PROPERTY ASSAY_LIBRARIES ${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                 FILES ${ARG_HEADERS})
  target_link_libraries(${target} ${scope} ${ARG_DEPENDS})
endfunction()

# assay_executable(NAME <program> SOURCES ... [DEPENDS ...] [COMPILE_OPTIONS ...] [LINK_OPTIONS ...])
#
# A program, placed at the root of the build folder.
function(assay_executable)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPENDS;COMPILE_OPTIONS;LINK_OPTIONS")
  _assay_check_arguments(assay_executable NAME SOURCES)
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${ARG_NAME} PRIVATE assay_flags ${ARG_DEPENDS})
  target_compile_options(${ARG_NAME} PRIVATE ${ARG_COMPILE_OPTIONS})
  target_link_options(${ARG_NAME} PRIVATE ${ARG_LINK_OPTIONS})
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# assay_backend_module(NAME <backend> SOURCES ... [DEPENDS ...] [COMPILE_OPTIONS ...])
#
# A backend that is loaded at run time: backends/<NAME>.so in the build folder, exporting only what
# its source marks visible.
function(assay_backend_module)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPENDS;COMPILE_OPTIONS")
  _assay_check_arguments(assay_backend_module NAME SOURCES)
  set(target assay_backend_${ARG_NAME})
  add_library(${target} MODULE ${ARG_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE assay_flags ${ARG_DEPENDS})
  target_compile_options(${target} PRIVATE ${ARG_COMPILE_OPTIONS})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${ARG_NAME}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/backends
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set_property(GLOBAL APPEND PROPERTY ASSAY_BACKEND_MODULES ${target})
endfunction()

# assay_test(NAME <target> SOURCES ... [DEPENDS ...] [LABELS quick|slow] [COMPILE_OPTIONS ...])
#
# One GoogleTest program; each TEST becomes one CTest test. Without LABELS it is quick.
function(assay_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;LABELS" "SOURCES;DEPENDS;COMPILE_OPTIONS")
  _assay_check_arguments(assay_test NAME SOURCES)
  if(NOT ARG_LABELS)
    set(ARG_LABELS quick)
  endif()
  if(NOT ARG_LABELS MATCHES "^(quick|slow)$")
    message(FATAL_ERROR "assay_test: LABELS is quick or slow, not ${ARG_LABELS}")
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${ARG_NAME} PRIVATE assay_flags ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  target_compile_options(${ARG_NAME} PRIVATE ${ARG_COMPILE_OPTIONS})
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${ARG_NAME} DISCOVERY_MODE PRE_TEST WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                       PROPERTIES LABELS ${ARG_LABELS})
endfunction()

# One folder under src/ is one library, named after it, and one test program made of its *_test.cc files.
#
#   flametap_library(target DEPENDS base LIBRARIES PkgConfig::libelf)
#     HEAVY: full of templates, which take the compiler minutes to optimise under sanitizers: there it does not
#     UNFUZZED: no fuzzer calls it
#     TRUSTING: other folders parse what it reads, so that its tests run without sanitizers where each test is built once
#     ALONE, TOGETHER, ALSO_TOGETHER: which files are compiled as one, see flametap_batch
#   flametap_program(flametap src/cli/main.cc LIBRARIES flametap_cli ALSO pyflame)
#   flametap_fuzzer(maps LIBRARIES flametap_target)

include(GNUInstallDirs)
find_package(PkgConfig REQUIRED)
if(FLAMETAP_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
endif()

# With paths relative to the project, ccache finds for a clone in one folder what it has compiled for a clone in another; and
# it reads each file once.
find_program(FLAMETAP_CCACHE ccache)
if(FLAMETAP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    ${FLAMETAP_CCACHE})
endif()

# For our own programs; those that tests look at are linked as distributions link theirs.
find_program(FLAMETAP_MOLD mold)
add_library(flametap_linker INTERFACE)
if(FLAMETAP_MOLD)
  target_link_options(flametap_linker INTERFACE -fuse-ld=mold)
endif()

add_library(flametap_flags INTERFACE)
target_include_directories(flametap_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(flametap_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
target_compile_definitions(flametap_flags INTERFACE _GNU_SOURCE FLAMETAP_VERSION="${PROJECT_VERSION}")
if(FLAMETAP_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(flametap_flags INTERFACE ${sanitizers})
  target_link_options(flametap_flags INTERFACE ${sanitizers})
endif()
# libFuzzer comes with clang. Everything that a fuzzer calls must report its coverage.
set(FLAMETAP_FUZZERS OFF)
add_library(flametap_coverage INTERFACE)
if(FLAMETAP_TESTS AND FLAMETAP_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(FLAMETAP_FUZZERS ON)
  target_compile_options(flametap_coverage INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The files of a folder are compiled several at a time, so that what they all include is parsed once for several of them: their
# names in unnamed namespaces must differ. The batches name their files relative to src/, so that ccache finds for a clone in
# one folder what it has compiled for a clone in another.
set(FLAMETAP_BATCH 8 CACHE STRING "How many files are compiled as one; 1: each by itself, as an editor wants it")
if(FLAMETAP_BATCH LESS 1)
  message(FATAL_ERROR "FLAMETAP_BATCH is ${FLAMETAP_BATCH}: a batch has at least one file")
endif()

# Sets `batches` to what is compiled in place of the sources: ALONE are files each by itself; TOGETHER and ALSO_TOGETHER those
# of one batch, as they include the same large library; the others are in batches of one length.
function(flametap_batch batches target)
  cmake_parse_arguments(arg "" "" "SOURCES;ALONE;TOGETHER;ALSO_TOGETHER" ${ARGN})
  foreach(file ${arg_ALONE} ${arg_TOGETHER} ${arg_ALSO_TOGETHER})
    if(NOT file IN_LIST arg_SOURCES)
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt names ${file}, which is not there")
    endif()
  endforeach()
  if(FLAMETAP_BATCH EQUAL 1)
    set(${batches} ${arg_SOURCES} PARENT_SCOPE)
    return()
  endif()
  set(files ${arg_ALONE})
  list(REMOVE_ITEM arg_SOURCES ${arg_ALONE} ${arg_TOGETHER} ${arg_ALSO_TOGETHER})
  set(number 0)
  foreach(group "${arg_TOGETHER}" "${arg_ALSO_TOGETHER}")
    flametap_add_batch("${group}")
  endforeach()
  list(LENGTH arg_SOURCES count)
  math(EXPR number_of_batches "(${count} + ${FLAMETAP_BATCH} - 1) / ${FLAMETAP_BATCH}")
  set(index 0)
  while(index LESS number_of_batches)
    math(EXPR begin "${count} * ${index} / ${number_of_batches}")
    math(EXPR length "${count} * (${index} + 1) / ${number_of_batches} - ${begin}")
    list(SUBLIST arg_SOURCES ${begin} ${length} group)
    flametap_add_batch("${group}")
    math(EXPR index "${index} + 1")
  endwhile()
  set(${batches} ${files} PARENT_SCOPE)
endfunction()
# Adds a file that includes those of the group to `files`.
macro(flametap_add_batch group)
  set(included ${group})
  if(included)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    list(TRANSFORM included PREPEND "#include \"${folder}/")
    list(TRANSFORM included APPEND "\"\n")
    list(JOIN included "" content)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}.cc CONTENT "${content}" @ONLY)
    list(APPEND files ${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}.cc)
    math(EXPR number "${number} + 1")
  endif()
endmacro()

function(flametap_library name)
  cmake_parse_arguments(arg "HEAVY;UNFUZZED;TRUSTING" "" "DEPENDS;LIBRARIES;ALONE;TOGETHER;ALSO_TOGETHER" ${ARGN})
  if(arg_TRUSTING AND FLAMETAP_SANITIZE AND FLAMETAP_TEST_ONCE)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$|^main\\.cc$")
  if(sources)
    flametap_batch(sources ${name} SOURCES ${sources} ALONE ${arg_ALONE} TOGETHER ${arg_TOGETHER}
      ALSO_TOGETHER ${arg_ALSO_TOGETHER})
    add_library(flametap_${name} STATIC ${sources})
    if(arg_HEAVY AND FLAMETAP_SANITIZE)
      target_compile_options(flametap_${name} PRIVATE -O0)
    endif()
    if(NOT arg_UNFUZZED)
      target_link_libraries(flametap_${name} PRIVATE flametap_coverage)
    endif()
    set(scope PUBLIC)
  else()
    add_library(flametap_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND flametap_)
  target_link_libraries(flametap_${name} ${scope} flametap_flags ${arg_DEPENDS} ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY FLAMETAP_LIBRARIES flametap_${name})
  if(FLAMETAP_TESTS)
    flametap_tests_of(${name} ${arg_TRUSTING})
  endif()
endfunction()

# NAME_test, and NAME_allocation_test for the files that replace operator new: a sanitizer has its own.
function(flametap_tests_of name trusting)
  file(GLOB tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_test.cc)
  set(allocation_tests ${tests})
  list(FILTER allocation_tests INCLUDE REGEX "_allocation_test\\.cc$")
  list(FILTER tests EXCLUDE REGEX "_allocation_test\\.cc$")
  if(tests AND (trusting OR FLAMETAP_SANITIZE OR NOT FLAMETAP_TEST_ONCE))
    flametap_batch(batches ${name}_test SOURCES ${tests})
    flametap_test(${name}_test ${batches})
    target_link_libraries(${name}_test PRIVATE flametap_${name})
  endif()
  if(allocation_tests AND NOT FLAMETAP_SANITIZE)
    flametap_test(${name}_allocation_test ${allocation_tests})
    target_link_libraries(${name}_allocation_test PRIVATE flametap_${name})
  endif()
endfunction()

# A program in the build folder itself; ALSO names it a second time, by a link that is installed too.
function(flametap_program name source)
  cmake_parse_arguments(arg "" "ALSO" "LIBRARIES" ${ARGN})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE flametap_flags flametap_linker ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  install(TARGETS ${name})
  if(arg_ALSO)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink ${name} ${PROJECT_BINARY_DIR}/${arg_ALSO}
      BYPRODUCTS ${PROJECT_BINARY_DIR}/${arg_ALSO}
      VERBATIM)
    install(FILES ${PROJECT_BINARY_DIR}/${arg_ALSO} DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()

# See base/test_paths.h.
if(FLAMETAP_TESTS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_paths.cc CONTENT [[
#include "base/test_paths.h"

const char* flametap::source_folder() { return "@PROJECT_SOURCE_DIR@"; }
const char* flametap::build_folder() { return "@PROJECT_BINARY_DIR@"; }
]] @ONLY)
  add_library(flametap_test_paths STATIC ${PROJECT_BINARY_DIR}/test_paths.cc)
  target_link_libraries(flametap_test_paths PRIVATE flametap_flags)
endif()

# A GoogleTest program. It is one test to ctest, as the start of such a program takes longer than most of its
# cases; GoogleTest writes the result of each case.
function(flametap_test name)
  add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE flametap_flags flametap_linker flametap_test_paths GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
endfunction()

# A libFuzzer program made of NAME_fuzz.cc. ctest runs it for a while from the seeds in corpus/NAME, if there are any;
# what it finds stays in the build folder.
function(flametap_fuzzer name)
  if(NOT FLAMETAP_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  add_executable(${name}_fuzz ${name}_fuzz.cc)
  target_link_libraries(${name}_fuzz PRIVATE flametap_flags flametap_linker flametap_coverage ${arg_LIBRARIES})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  set(found ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
  file(MAKE_DIRECTORY ${found})
  set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  if(NOT IS_DIRECTORY ${seeds})
    set(seeds)
  endif()
  add_test(NAME fuzz.${name}
    COMMAND ${name}_fuzz -max_total_time=${FLAMETAP_FUZZ_SECONDS} -runs=${FLAMETAP_FUZZ_RUNS} -timeout=60 -rss_limit_mb=2048
            -print_final_stats=1 -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/${name}- ${found} ${seeds})
  # What was found before is run first, and does not count.
  math(EXPR limit "${FLAMETAP_FUZZ_SECONDS} + 300")
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()

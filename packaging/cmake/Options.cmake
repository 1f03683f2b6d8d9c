# Compiler options as targets; nothing is set directory-wide.
add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)

add_library(tidemark_options INTERFACE)
target_include_directories(tidemark_options INTERFACE ${CMAKE_SOURCE_DIR})
if(TIDEMARK_SANITIZER)
  target_compile_options(tidemark_options INTERFACE -fsanitize=${TIDEMARK_SANITIZER} -fno-omit-frame-pointer)
  target_link_options(tidemark_options INTERFACE -fsanitize=${TIDEMARK_SANITIZER})
endif()

find_program(TIDEMARK_CCACHE ccache)
if(TIDEMARK_CCACHE)
  # A precompiled header is part of the cache key only with this sloppiness.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TIDEMARK_CCACHE})
endif()

# tidemark_library(NAME SOURCES ... [DEPENDS ...] [PRIVATE ...]): a static library with the house options.
function(tidemark_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tidemark_options ${ARG_DEPENDS} PRIVATE tidemark_warnings ${ARG_PRIVATE})
endfunction()

macro(tidemark_add dir)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/CMakeLists.txt)
    add_subdirectory(${dir})
  endif()
endmacro()

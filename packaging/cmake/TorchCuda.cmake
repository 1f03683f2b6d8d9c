# The CUDA half of libtorch, as target torch_cuda. Compiling and linking need the CUDA toolkit's and NCCL's headers and the
# wheel's own libraries; starting the worker also needs the wheels that libtorch_cuda loads.
find_package(CUDAToolkit REQUIRED)
find_path(TIDEMARK_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${tidemark_site_packages}/nvidia/nccl/include)
if(NOT TIDEMARK_NCCL_INCLUDE)
  message(FATAL_ERROR "CUDA and NCCL: nccl.h was not found. Install NCCL's development files, give "
                      "-DTIDEMARK_NCCL_INCLUDE=DIR, or configure with -DTIDEMARK_CUDA=OFF.")
endif()

# The toolkit may be older than the one that torch was built with: link the runtime that torch itself loads.
file(GLOB tidemark_cudart ${tidemark_site_packages}/nvidia/*/lib/libcudart.so.*)
list(LENGTH tidemark_cudart tidemark_cudart_count)
if(NOT tidemark_cudart_count EQUAL 1)
  message(FATAL_ERROR "CUDA and NCCL: one libcudart was expected below ${tidemark_site_packages}/nvidia, "
                      "found ${tidemark_cudart_count}. Install torch's wheel nvidia-cuda-runtime.")
endif()
string(REGEX MATCH "[0-9]+$" tidemark_cudart_major ${tidemark_cudart})
if(NOT CUDAToolkit_VERSION_MAJOR EQUAL tidemark_cudart_major)
  message(FATAL_ERROR "CUDA and NCCL: the toolkit is CUDA ${CUDAToolkit_VERSION}, torch was built for CUDA "
                      "${tidemark_cudart_major}. Give a matching toolkit with -DCUDAToolkit_ROOT=DIR.")
endif()

add_library(torch_cuda INTERFACE IMPORTED)
target_include_directories(torch_cuda SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS} ${TIDEMARK_NCCL_INCLUDE})
target_compile_definitions(torch_cuda INTERFACE USE_C10D_NCCL TIDEMARK_CUDA)
target_link_libraries(torch_cuda INTERFACE torch_cpu
  -Wl,--no-as-needed ${TIDEMARK_TORCH}/lib/libtorch_cuda.so ${TIDEMARK_TORCH}/lib/libc10_cuda.so -Wl,--as-needed
  ${tidemark_cudart})

message(STATUS "CUDA and NCCL: built, with the headers of CUDA ${CUDAToolkit_VERSION}")
set(tidemark_missing)
foreach(name cublas cudnn cusparse cusolver nccl)
  file(GLOB found ${tidemark_site_packages}/nvidia/*/lib/lib${name}.so.*)
  if(NOT found)
    list(APPEND tidemark_missing lib${name})
  endif()
endforeach()
if(tidemark_missing)
  list(JOIN tidemark_missing ", " tidemark_missing)
  message(WARNING "CUDA and NCCL: the worker will link but not start, since the Python environment has no "
                  "${tidemark_missing}. Install torch there with all its dependencies.")
endif()

# libtorch from the PyPI wheel as two small imported targets. The wheel's own TorchConfig.cmake wants the whole CUDA
# toolkit; for CPU work libtorch_cpu and libc10 are enough, and need only the wheels' libcudart and libcupti at run time.
set(TIDEMARK_TORCH ${tidemark_site_packages}/torch CACHE PATH "The torch package's folder")
if(NOT EXISTS ${TIDEMARK_TORCH}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No libtorch in ${TIDEMARK_TORCH}. Run packaging/install_dependencies.sh.")
endif()
file(GLOB tidemark_nvidia_libs LIST_DIRECTORIES true ${tidemark_site_packages}/nvidia/*/lib)

add_library(torch_cpu INTERFACE IMPORTED)
target_include_directories(torch_cpu SYSTEM INTERFACE
  ${TIDEMARK_TORCH}/include ${TIDEMARK_TORCH}/include/torch/csrc/api/include)
target_compile_definitions(torch_cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(torch_cpu INTERFACE
  ${TIDEMARK_TORCH}/lib/libtorch_cpu.so ${TIDEMARK_TORCH}/lib/libc10.so Threads::Threads)
target_link_options(torch_cpu INTERFACE -Wl,--allow-shlib-undefined -Wl,--disable-new-dtags)
foreach(dir ${TIDEMARK_TORCH}/lib ${tidemark_nvidia_libs})
  target_link_options(torch_cpu INTERFACE -Wl,-rpath,${dir})
endforeach()

if(TIDEMARK_CUDA)
  include(TorchCuda)
else()
  message(STATUS "CUDA and NCCL: not built (-DTIDEMARK_CUDA=ON builds them); ranks run on the CPU")
endif()

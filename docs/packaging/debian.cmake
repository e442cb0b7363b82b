# Debian packages by CPack, one a component: `./dev package`, or in a build folder that was configured with
# -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_SHARED_LIBS=ON: `cpack`. Without a shared library there is none to run with.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sinter)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "The authors of Sinter")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(runtime_package libsinter${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_COMPONENTS_ALL Development Documentation)

if(BUILD_SHARED_LIBS)
  list(PREPEND CPACK_COMPONENTS_ALL Runtime)
  set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "NumPy in C++ with fused kernels: the library.
 Kernels for the CPU are made by the system's C compiler while a program runs; without
 one they are interpreted. Libraries for products, transforms and sorts are used where
 they are installed.")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime_package})
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "gcc | c-compiler")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS
      "libopenblas0-pthread, libfftw3-double3, libfftw3-single3, libhwy1, libcuda1, libnvrtc12")
  set(development_needs "${runtime_package} (= ${PROJECT_VERSION})")
else()
  set(development_needs "libtbb-dev, libxxhash-dev")
  if(ZLIB_FOUND)
    string(APPEND development_needs ", zlib1g-dev")
  endif()
endif()

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "NumPy in C++ with fused kernels: headers, and files for CMake and pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsinter-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${development_needs}")

set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION "NumPy in C++ with fused kernels: pages to read, and samples.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME sinter-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
include(CPack)

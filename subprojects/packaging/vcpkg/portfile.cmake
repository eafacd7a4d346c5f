# An overlay port, which is not in vcpkg's registry. In the root of a source archive:
#   vcpkg install percale --overlay-ports=subprojects/packaging/vcpkg
# vcpkg supplies the libraries that vcpkg.json names.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -Dtests=false -Donnx=enabled -Donednn=disabled -Dcuda=disabled -Dremote=disabled -Djni=disabled
  ADDITIONAL_BINARIES "flatc = '${CURRENT_HOST_INSTALLED_DIR}/tools/flatbuffers/flatc${VCPKG_HOST_EXECUTABLE_SUFFIX}'")
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(PACKAGE_NAME percale CONFIG_PATH lib/cmake/percale)
vcpkg_copy_tools(TOOL_NAMES percale AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

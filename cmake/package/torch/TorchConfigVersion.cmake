# The C++ interface is LibTorch 1.13's. Later LibTorch kept it, so a project that asks for a later
# version is served as well: what is missing then shows when it is compiled.
set(PACKAGE_VERSION "1.13.1")
set(PACKAGE_VERSION_COMPATIBLE TRUE)
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()

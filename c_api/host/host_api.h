// The table of the library that plug-ins get.
#ifndef PERCALE_C_API_HOST_HOST_API_H_
#define PERCALE_C_API_HOST_HOST_API_H_

#include "c_api/include/percale_plugin.h"

namespace percale::c_api {

const percale_host_api& host_api();

}  // namespace percale::c_api

#endif  // PERCALE_C_API_HOST_HOST_API_H_

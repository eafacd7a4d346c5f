// Written by bindings/gen from c_api/include/percale.h; changes belong there.
#include "callbacks.h"
#include "tables.h"

namespace percale::jni {

static const Callback kCallbacks[] = {
    callback<0, percale_log_function>("percale_log_function"),
    callback<1, percale_destroy>("percale_destroy"),
    callback<2, percale_exchange_function>("percale_exchange_function"),
    callback<3, percale_lost_function>("percale_lost_function"),
    callback<4, percale_row_callback>("percale_row_callback"),
    callback<5, percale_stream_callback>("percale_stream_callback"),
    callback<6, percale_deleter>("percale_deleter"),
    callback<7, percale_execute_function>("percale_execute_function"),
    callback<8, percale_file_size_function>("percale_file_size_function"),
    callback<9, percale_file_read_function>("percale_file_read_function"),
    callback<10, percale_event_callback>("percale_event_callback"),
    callback<11, percale_progress_callback>("percale_progress_callback"),
};

std::span<const Callback> callbacks() { return kCallbacks; }

}  // namespace percale::jni

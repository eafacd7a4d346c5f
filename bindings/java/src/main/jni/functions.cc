// Written by bindings/gen from c_api/include/percale.h; changes belong there.
#include "natives.h"
#include "tables.h"

namespace percale::jni {

static const JNINativeMethod kRawLibrary[] = {
    native<"percale_version", decltype(&percale_version)>(),
    native<"percale_abi_version", decltype(&percale_abi_version)>(),
    native<"percale_file_check", decltype(&percale_file_check)>(),
    native<"percale_code_name", decltype(&percale_code_name)>(),
    native<"percale_dtype_name", decltype(&percale_dtype_name)>(),
};

static const JNINativeMethod kRawBuilder[] = {
    native<"percale_builder_create", decltype(&percale_builder_create)>(),
    native<"percale_builder_from_graph", decltype(&percale_builder_from_graph)>(),
    native<"percale_builder_release", decltype(&percale_builder_release)>(),
    native<"percale_builder_find_value", decltype(&percale_builder_find_value)>(),
    native<"percale_builder_input", decltype(&percale_builder_input)>(),
    native<"percale_builder_constant", decltype(&percale_builder_constant)>(),
    native<"percale_builder_variable", decltype(&percale_builder_variable)>(),
    native<"percale_builder_variable_initialized", decltype(&percale_builder_variable_initialized)>(),
    native<"percale_builder_node", decltype(&percale_builder_node)>(),
    native<"percale_builder_layer", decltype(&percale_builder_layer)>(),
    native<"percale_builder_add_input", decltype(&percale_builder_add_input)>(),
    native<"percale_builder_set_int", decltype(&percale_builder_set_int)>(),
    native<"percale_builder_set_float", decltype(&percale_builder_set_float)>(),
    native<"percale_builder_set_string", decltype(&percale_builder_set_string)>(),
    native<"percale_builder_set_ints", decltype(&percale_builder_set_ints)>(),
    native<"percale_builder_set_floats", decltype(&percale_builder_set_floats)>(),
    native<"percale_builder_set_strings", decltype(&percale_builder_set_strings)>(),
    native<"percale_builder_set_tensor", decltype(&percale_builder_set_tensor)>(),
    native<"percale_builder_set_function", decltype(&percale_builder_set_function)>(),
    native<"percale_builder_finish_node", decltype(&percale_builder_finish_node)>(),
    native<"percale_builder_begin_function", decltype(&percale_builder_begin_function)>(),
    native<"percale_builder_end_function", decltype(&percale_builder_end_function)>(),
    native<"percale_builder_set_outputs", decltype(&percale_builder_set_outputs)>(),
    native<"percale_builder_rename", decltype(&percale_builder_rename)>(),
    native<"percale_builder_value_type", decltype(&percale_builder_value_type)>(),
    native<"percale_builder_set_device", decltype(&percale_builder_set_device)>(),
    native<"percale_builder_control_dependency", decltype(&percale_builder_control_dependency)>(),
    native<"percale_builder_gradients", decltype(&percale_builder_gradients)>(),
    native<"percale_builder_minimize", decltype(&percale_builder_minimize)>(),
    native<"percale_builder_finish", decltype(&percale_builder_finish)>(),
};

static const JNINativeMethod kRawCluster[] = {
    native<"percale_cluster_create", decltype(&percale_cluster_create)>(),
    native<"percale_cluster_from_json", decltype(&percale_cluster_from_json)>(),
    native<"percale_cluster_from_environment", decltype(&percale_cluster_from_environment)>(),
    native<"percale_cluster_add_task", decltype(&percale_cluster_add_task)>(),
    native<"percale_cluster_set_role", decltype(&percale_cluster_set_role)>(),
    native<"percale_cluster_job_count", decltype(&percale_cluster_job_count)>(),
    native<"percale_cluster_get_job", decltype(&percale_cluster_get_job)>(),
    native<"percale_cluster_task_count", decltype(&percale_cluster_task_count)>(),
    native<"percale_cluster_get_address", decltype(&percale_cluster_get_address)>(),
    native<"percale_cluster_get_role", decltype(&percale_cluster_get_role)>(),
    native<"percale_cluster_get_rank", decltype(&percale_cluster_get_rank)>(),
    native<"percale_cluster_set_certificates", decltype(&percale_cluster_set_certificates)>(),
    native<"percale_cluster_release", decltype(&percale_cluster_release)>(),
};

static const JNINativeMethod kRawOptions[] = {
    native<"percale_options_create", decltype(&percale_options_create)>(),
    native<"percale_options_release", decltype(&percale_options_release)>(),
    native<"percale_options_set", decltype(&percale_options_set)>(),
    native<"percale_options_set_int", decltype(&percale_options_set_int)>(),
    native<"percale_options_set_float", decltype(&percale_options_set_float)>(),
    native<"percale_options_describe", decltype(&percale_options_describe)>(),
    native<"percale_options_set_thread_pool", decltype(&percale_options_set_thread_pool)>(),
    native<"percale_options_set_reader", decltype(&percale_options_set_reader)>(),
};

static const JNINativeMethod kRawEngine[] = {
    native<"percale_engine_create", decltype(&percale_engine_create)>(),
    native<"percale_engine_retain", decltype(&percale_engine_retain)>(),
    native<"percale_engine_release", decltype(&percale_engine_release)>(),
    native<"percale_engine_device_count", decltype(&percale_engine_device_count)>(),
    native<"percale_engine_get_device_name", decltype(&percale_engine_get_device_name)>(),
    native<"percale_engine_describe", decltype(&percale_engine_describe)>(),
    native<"percale_engine_set_log", decltype(&percale_engine_set_log)>(),
    native<"percale_engine_set_log_owned", decltype(&percale_engine_set_log_owned)>(),
    native<"percale_engine_memory", decltype(&percale_engine_memory)>(),
    native<"percale_engine_trim", decltype(&percale_engine_trim)>(),
    native<"percale_engine_metrics", decltype(&percale_engine_metrics)>(),
};

static const JNINativeMethod kRawTrainer[] = {
    native<"percale_trainer_join", decltype(&percale_trainer_join)>(),
    native<"percale_trainer_join_cluster", decltype(&percale_trainer_join_cluster)>(),
    native<"percale_trainer_create", decltype(&percale_trainer_create)>(),
    native<"percale_trainer_from_spec", decltype(&percale_trainer_from_spec)>(),
    native<"percale_trainer_retain", decltype(&percale_trainer_retain)>(),
    native<"percale_trainer_release", decltype(&percale_trainer_release)>(),
    native<"percale_trainer_step", decltype(&percale_trainer_step)>(),
    native<"percale_trainer_step_fetch", decltype(&percale_trainer_step_fetch)>(),
    native<"percale_trainer_fit", decltype(&percale_trainer_fit)>(),
    native<"percale_trainer_set_validation", decltype(&percale_trainer_set_validation)>(),
    native<"percale_trainer_evaluate", decltype(&percale_trainer_evaluate)>(),
    native<"percale_trainer_publish", decltype(&percale_trainer_publish)>(),
    native<"percale_trainer_set_learning_rate", decltype(&percale_trainer_set_learning_rate)>(),
    native<"percale_trainer_cancel", decltype(&percale_trainer_cancel)>(),
    native<"percale_trainer_set_cancellation", decltype(&percale_trainer_set_cancellation)>(),
    native<"percale_trainer_save", decltype(&percale_trainer_save)>(),
    native<"percale_trainer_restore", decltype(&percale_trainer_restore)>(),
    native<"percale_trainer_lock_folder", decltype(&percale_trainer_lock_folder)>(),
    native<"percale_trainer_model", decltype(&percale_trainer_model)>(),
    native<"percale_trainer_variables", decltype(&percale_trainer_variables)>(),
    native<"percale_trainer_steps", decltype(&percale_trainer_steps)>(),
    native<"percale_trainer_history", decltype(&percale_trainer_history)>(),
    native<"percale_trainer_describe", decltype(&percale_trainer_describe)>(),
    native<"percale_trainer_set_trace", decltype(&percale_trainer_set_trace)>(),
};

static const JNINativeMethod kRawDataset[] = {
    native<"percale_dataset_from_tensors", decltype(&percale_dataset_from_tensors)>(),
    native<"percale_dataset_from_files", decltype(&percale_dataset_from_files)>(),
    native<"percale_dataset_csv_rules", decltype(&percale_dataset_csv_rules)>(),
    native<"percale_dataset_range", decltype(&percale_dataset_range)>(),
    native<"percale_dataset_generator", decltype(&percale_dataset_generator)>(),
    native<"percale_dataset_generator_owned", decltype(&percale_dataset_generator_owned)>(),
    native<"percale_dataset_stream", decltype(&percale_dataset_stream)>(),
    native<"percale_dataset_zip", decltype(&percale_dataset_zip)>(),
    native<"percale_dataset_concatenate", decltype(&percale_dataset_concatenate)>(),
    native<"percale_dataset_repeat", decltype(&percale_dataset_repeat)>(),
    native<"percale_dataset_map", decltype(&percale_dataset_map)>(),
    native<"percale_dataset_rename", decltype(&percale_dataset_rename)>(),
    native<"percale_dataset_configure", decltype(&percale_dataset_configure)>(),
    native<"percale_dataset_distribute", decltype(&percale_dataset_distribute)>(),
    native<"percale_dataset_rows", decltype(&percale_dataset_rows)>(),
    native<"percale_dataset_column_count", decltype(&percale_dataset_column_count)>(),
    native<"percale_dataset_get_column_name", decltype(&percale_dataset_get_column_name)>(),
    native<"percale_dataset_column_type", decltype(&percale_dataset_column_type)>(),
    native<"percale_dataset_next", decltype(&percale_dataset_next)>(),
    native<"percale_dataset_retain", decltype(&percale_dataset_retain)>(),
    native<"percale_dataset_release", decltype(&percale_dataset_release)>(),
};

static const JNINativeMethod kRawTensor[] = {
    native<"percale_tensor_create", decltype(&percale_tensor_create)>(),
    native<"percale_tensor_from_memory", decltype(&percale_tensor_from_memory)>(),
    native<"percale_tensor_to_dlpack", decltype(&percale_tensor_to_dlpack)>(),
    native<"percale_tensor_from_dlpack", decltype(&percale_tensor_from_dlpack)>(),
    native<"percale_tensor_load", decltype(&percale_tensor_load)>(),
    native<"percale_tensor_import", decltype(&percale_tensor_import)>(),
    native<"percale_tensor_save", decltype(&percale_tensor_save)>(),
    native<"percale_tensor_retain", decltype(&percale_tensor_retain)>(),
    native<"percale_tensor_release", decltype(&percale_tensor_release)>(),
    native<"percale_tensor_dtype", decltype(&percale_tensor_dtype)>(),
    native<"percale_tensor_rank", decltype(&percale_tensor_rank)>(),
    native<"percale_tensor_get_dims", decltype(&percale_tensor_get_dims)>(),
    native<"percale_tensor_bytes", decltype(&percale_tensor_bytes)>(),
    native<"percale_tensor_element_count", decltype(&percale_tensor_element_count)>(),
    native<"percale_tensor_get_data", decltype(&percale_tensor_get_data)>(),
};

static const JNINativeMethod kRawGraph[] = {
    native<"percale_graph_load", decltype(&percale_graph_load)>(),
    native<"percale_graph_from_memory", decltype(&percale_graph_from_memory)>(),
    native<"percale_graph_load_file", decltype(&percale_graph_load_file)>(),
    native<"percale_graph_import", decltype(&percale_graph_import)>(),
    native<"percale_graph_import_bytes", decltype(&percale_graph_import_bytes)>(),
    native<"percale_graph_save_file", decltype(&percale_graph_save_file)>(),
    native<"percale_graph_serialize", decltype(&percale_graph_serialize)>(),
    native<"percale_graph_export", decltype(&percale_graph_export)>(),
    native<"percale_graph_export_bytes", decltype(&percale_graph_export_bytes)>(),
    native<"percale_graph_retain", decltype(&percale_graph_retain)>(),
    native<"percale_graph_release", decltype(&percale_graph_release)>(),
    native<"percale_graph_get_input_name", decltype(&percale_graph_get_input_name)>(),
    native<"percale_graph_get_output_name", decltype(&percale_graph_get_output_name)>(),
    native<"percale_graph_value_type", decltype(&percale_graph_value_type)>(),
    native<"percale_graph_with_dims", decltype(&percale_graph_with_dims)>(),
    native<"percale_graph_describe", decltype(&percale_graph_describe)>(),
    native<"percale_graph_draw", decltype(&percale_graph_draw)>(),
};

static const JNINativeMethod kRawVariables[] = {
    native<"percale_variables_create", decltype(&percale_variables_create)>(),
    native<"percale_variables_retain", decltype(&percale_variables_retain)>(),
    native<"percale_variables_release", decltype(&percale_variables_release)>(),
    native<"percale_variables_count", decltype(&percale_variables_count)>(),
    native<"percale_variables_get_name", decltype(&percale_variables_get_name)>(),
    native<"percale_variables_value", decltype(&percale_variables_value)>(),
    native<"percale_variables_assign", decltype(&percale_variables_assign)>(),
    native<"percale_variables_version", decltype(&percale_variables_version)>(),
    native<"percale_variables_digest", decltype(&percale_variables_digest)>(),
    native<"percale_variables_load", decltype(&percale_variables_load)>(),
    native<"percale_variables_load_memory", decltype(&percale_variables_load_memory)>(),
    native<"percale_variables_load_mapped", decltype(&percale_variables_load_mapped)>(),
    native<"percale_variables_save", decltype(&percale_variables_save)>(),
};

static const JNINativeMethod kRawTask[] = {
    native<"percale_task_run", decltype(&percale_task_run)>(),
    native<"percale_task_release", decltype(&percale_task_release)>(),
};

static const JNINativeMethod kRawServer[] = {
    native<"percale_server_create", decltype(&percale_server_create)>(),
    native<"percale_server_port", decltype(&percale_server_port)>(),
    native<"percale_server_wait", decltype(&percale_server_wait)>(),
    native<"percale_server_release", decltype(&percale_server_release)>(),
};

static const JNINativeMethod kRawSession[] = {
    native<"percale_session_create", decltype(&percale_session_create)>(),
    native<"percale_session_retain", decltype(&percale_session_retain)>(),
    native<"percale_session_release", decltype(&percale_session_release)>(),
    native<"percale_session_run", decltype(&percale_session_run)>(),
    native<"percale_session_run_versioned", decltype(&percale_session_run_versioned)>(),
    native<"percale_session_run_async", decltype(&percale_session_run_async)>(),
    native<"percale_session_cancel", decltype(&percale_session_cancel)>(),
    native<"percale_session_explain", decltype(&percale_session_explain)>(),
    native<"percale_session_draw", decltype(&percale_session_draw)>(),
    native<"percale_session_stats", decltype(&percale_session_stats)>(),
    native<"percale_session_set_trace", decltype(&percale_session_set_trace)>(),
};

static const JNINativeMethod kRawCall[] = {
    native<"percale_call_create", decltype(&percale_call_create)>(),
    native<"percale_call_run", decltype(&percale_call_run)>(),
    native<"percale_call_run_until", decltype(&percale_call_run_until)>(),
    native<"percale_call_carry", decltype(&percale_call_carry)>(),
    native<"percale_call_output_type", decltype(&percale_call_output_type)>(),
    native<"percale_call_variables_version", decltype(&percale_call_variables_version)>(),
    native<"percale_call_release", decltype(&percale_call_release)>(),
};

static const JNINativeMethod kRawEvent[] = {
    native<"percale_event_poll", decltype(&percale_event_poll)>(),
    native<"percale_event_wait", decltype(&percale_event_wait)>(),
    native<"percale_event_on_ready", decltype(&percale_event_on_ready)>(),
    native<"percale_event_cancel", decltype(&percale_event_cancel)>(),
    native<"percale_event_result", decltype(&percale_event_result)>(),
    native<"percale_event_variables_version", decltype(&percale_event_variables_version)>(),
    native<"percale_event_retain", decltype(&percale_event_retain)>(),
    native<"percale_event_release", decltype(&percale_event_release)>(),
};

static const JNINativeMethod kRawStatus[] = {
    native<"percale_status_code", decltype(&percale_status_code)>(),
    native<"percale_status_message", decltype(&percale_status_message)>(),
    native<"percale_status_create", decltype(&percale_status_create)>(),
    native<"percale_status_retain", decltype(&percale_status_retain)>(),
    native<"percale_status_release", decltype(&percale_status_release)>(),
    native<"percale_status_live_count", decltype(&percale_status_live_count)>(),
};

static const JNINativeMethod kRawText[] = {
    native<"percale_text_data", decltype(&percale_text_data)>(),
    native<"percale_text_release", decltype(&percale_text_release)>(),
};

static const JNINativeMethod kRawCancellation[] = {
    native<"percale_cancellation_create", decltype(&percale_cancellation_create)>(),
    native<"percale_cancellation_cancel", decltype(&percale_cancellation_cancel)>(),
    native<"percale_cancellation_poll", decltype(&percale_cancellation_poll)>(),
    native<"percale_cancellation_retain", decltype(&percale_cancellation_retain)>(),
    native<"percale_cancellation_release", decltype(&percale_cancellation_release)>(),
};

static const JNINativeMethod kRawTrace[] = {
    native<"percale_trace_create", decltype(&percale_trace_create)>(),
    native<"percale_trace_json", decltype(&percale_trace_json)>(),
    native<"percale_trace_release", decltype(&percale_trace_release)>(),
};

std::span<const JNINativeMethod> methods_of(std::string_view name) {
  if (name == "RawLibrary") return kRawLibrary;
  if (name == "RawBuilder") return kRawBuilder;
  if (name == "RawCluster") return kRawCluster;
  if (name == "RawOptions") return kRawOptions;
  if (name == "RawEngine") return kRawEngine;
  if (name == "RawTrainer") return kRawTrainer;
  if (name == "RawDataset") return kRawDataset;
  if (name == "RawTensor") return kRawTensor;
  if (name == "RawGraph") return kRawGraph;
  if (name == "RawVariables") return kRawVariables;
  if (name == "RawTask") return kRawTask;
  if (name == "RawServer") return kRawServer;
  if (name == "RawSession") return kRawSession;
  if (name == "RawCall") return kRawCall;
  if (name == "RawEvent") return kRawEvent;
  if (name == "RawStatus") return kRawStatus;
  if (name == "RawText") return kRawText;
  if (name == "RawCancellation") return kRawCancellation;
  if (name == "RawTrace") return kRawTrace;
  return {};
}

}  // namespace percale::jni

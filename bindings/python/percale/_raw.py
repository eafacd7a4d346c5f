# Written by bindings/gen; do not edit.
"""percale.h as cffi reads it: DECLARATIONS, and its constants by their names without the prefix."""

DECLARATIONS = """
typedef struct percale_text percale_text;
typedef struct percale_status percale_status;
typedef struct percale_options percale_options;
typedef struct percale_engine percale_engine;
typedef struct percale_tensor percale_tensor;
typedef struct percale_builder percale_builder;
typedef struct percale_graph percale_graph;
typedef struct percale_variables percale_variables;
typedef struct percale_session percale_session;
typedef struct percale_call percale_call;
typedef struct percale_cancellation percale_cancellation;
typedef struct percale_event percale_event;
typedef struct percale_dataset percale_dataset;
typedef struct percale_trainer percale_trainer;
typedef struct percale_trace percale_trace;
typedef struct percale_cluster percale_cluster;
typedef struct percale_server percale_server;
typedef struct percale_task percale_task;
typedef int32_t percale_code;
typedef int32_t percale_dtype;
typedef int32_t percale_log_level;
typedef int32_t percale_value;
typedef struct percale_bytes percale_bytes;
typedef struct percale_collective percale_collective;
typedef struct percale_thread_pool percale_thread_pool;
typedef struct percale_reader percale_reader;
typedef struct percale_progress percale_progress;
typedef void (*percale_log_function)(void* user, percale_log_level level, const char* message, size_t size);
typedef void (*percale_destroy)(void* user);
typedef percale_status* (*percale_exchange_function)(void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs, int64_t timeout_ns);
typedef percale_status* (*percale_lost_function)(void* user, int32_t* out_ranks, size_t* inout_count);
typedef int32_t (*percale_row_callback)(void* user, int64_t row, void* const* columns);
typedef percale_status* (*percale_stream_callback)(void* user, int64_t epoch, int64_t first_row, int64_t max_rows, void* const* columns, int64_t* out_rows);
typedef void (*percale_deleter)(void* user, void* data);
typedef percale_status* (*percale_execute_function)(void* user, percale_task* task);
typedef percale_status* (*percale_file_size_function)(void* user, const char* name, int64_t* out_size);
typedef percale_status* (*percale_file_read_function)(void* user, const char* name, int64_t offset, void* buffer, size_t size);
typedef void (*percale_event_callback)(void* user);
typedef int32_t (*percale_progress_callback)(void* user, const percale_progress* progress);
struct percale_bytes {
  void* data;
  size_t size;
};
struct percale_collective {
  uint32_t struct_size;
  void* user;
  int32_t rank;
  int32_t size;
  uint64_t generation;
  percale_exchange_function exchange;
  percale_lost_function lost;
};
struct percale_thread_pool {
  uint32_t struct_size;
  void* user;
  percale_execute_function execute;
};
struct percale_reader {
  uint32_t struct_size;
  void* user;
  percale_file_size_function size;
  percale_file_read_function read;
};
struct percale_progress {
  uint32_t struct_size;
  int64_t epoch;
  int64_t epochs;
  int64_t step;
  int64_t steps;
  int64_t step_in_epoch;
  int64_t steps_in_epoch;
  double loss;
  double learning_rate;
  double rows_per_second;
  double seconds;
  double eta_seconds;
  int32_t epoch_ended;
  size_t metric_count;
  const char* const* metric_names;
  const double* metric_values;
  double epoch_loss;
};
const char* percale_version(void);
uint32_t percale_abi_version(void);
percale_status* percale_builder_create(percale_engine* engine, percale_builder** out_builder);
percale_status* percale_builder_from_graph(percale_engine* engine, const percale_graph* graph, percale_builder** out_builder);
void percale_builder_release(percale_builder* builder);
percale_status* percale_builder_find_value(percale_builder* builder, const char* name, percale_value* out_value);
percale_status* percale_builder_input(percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims, size_t rank, percale_value* out_value);
percale_status* percale_builder_constant(percale_builder* builder, const char* name, percale_tensor* tensor, percale_value* out_value);
percale_status* percale_builder_variable(percale_builder* builder, const char* name, percale_tensor* initial, percale_value* out_value);
percale_status* percale_builder_variable_initialized(percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims, size_t rank, const char* initializer, percale_value* out_value);
percale_status* percale_builder_node(percale_builder* builder, const char* op, const char* name);
percale_status* percale_builder_layer(percale_builder* builder, const char* layer, const char* name);
percale_status* percale_builder_add_input(percale_builder* builder, percale_value value);
percale_status* percale_builder_set_int(percale_builder* builder, const char* attribute, int64_t value);
percale_status* percale_builder_set_float(percale_builder* builder, const char* attribute, double value);
percale_status* percale_builder_set_string(percale_builder* builder, const char* attribute, const char* value);
percale_status* percale_builder_set_ints(percale_builder* builder, const char* attribute, const int64_t* values, size_t count);
percale_status* percale_builder_set_floats(percale_builder* builder, const char* attribute, const double* values, size_t count);
percale_status* percale_builder_set_strings(percale_builder* builder, const char* attribute, const char* const* values, size_t count);
percale_status* percale_builder_set_tensor(percale_builder* builder, const char* attribute, percale_tensor* value);
percale_status* percale_builder_set_function(percale_builder* builder, const char* attribute, const char* function);
percale_status* percale_builder_finish_node(percale_builder* builder, size_t output_count, percale_value* out_values);
percale_status* percale_builder_begin_function(percale_builder* builder, const char* name);
percale_status* percale_builder_end_function(percale_builder* builder);
percale_status* percale_builder_set_outputs(percale_builder* builder, const percale_value* values, size_t count);
percale_status* percale_builder_rename(percale_builder* builder, percale_value value, const char* name);
percale_status* percale_builder_value_type(const percale_builder* builder, percale_value value, percale_dtype* out_dtype, int64_t* out_dims, size_t* out_rank);
percale_status* percale_builder_set_device(percale_builder* builder, const char* device);
percale_status* percale_builder_control_dependency(percale_builder* builder, percale_value before, percale_value after);
percale_status* percale_builder_gradients(percale_builder* builder, const percale_value* ys, size_t y_count, const percale_value* xs, size_t x_count, percale_value* out_gradients);
percale_status* percale_builder_minimize(percale_builder* builder, percale_value loss, const char* optimizer, const char** out_target_name);
percale_status* percale_builder_finish(percale_builder* builder, percale_graph** out_graph);
percale_status* percale_cluster_create(percale_cluster** out_cluster);
percale_status* percale_cluster_from_json(const char* json, size_t size, percale_cluster** out_cluster);
percale_status* percale_cluster_from_environment(percale_cluster** out_cluster);
percale_status* percale_cluster_add_task(percale_cluster* cluster, const char* job, int64_t task, const char* address);
percale_status* percale_cluster_set_role(percale_cluster* cluster, const char* job, int64_t task);
size_t percale_cluster_job_count(const percale_cluster* cluster);
const char* percale_cluster_get_job(const percale_cluster* cluster, size_t index);
int64_t percale_cluster_task_count(const percale_cluster* cluster, const char* job);
const char* percale_cluster_get_address(const percale_cluster* cluster, const char* job, int64_t task);
const char* percale_cluster_get_role(const percale_cluster* cluster, int64_t* out_task);
int64_t percale_cluster_get_rank(const percale_cluster* cluster, int64_t* out_size);
percale_status* percale_cluster_set_certificates(percale_cluster* cluster, const char* folder);
void percale_cluster_release(percale_cluster* cluster);
percale_status* percale_options_create(const char* kind, percale_options** out_options);
void percale_options_release(percale_options* options);
percale_status* percale_options_set(percale_options* options, const char* key, const char* value);
percale_status* percale_options_set_int(percale_options* options, const char* key, int64_t value);
percale_status* percale_options_set_float(percale_options* options, const char* key, double value);
percale_status* percale_options_describe(percale_text** out_json);
percale_status* percale_engine_create(const percale_options* options, percale_engine** out_engine);
percale_engine* percale_engine_retain(percale_engine* engine);
void percale_engine_release(percale_engine* engine);
size_t percale_engine_device_count(const percale_engine* engine);
const char* percale_engine_get_device_name(const percale_engine* engine, size_t index);
percale_status* percale_engine_describe(const percale_engine* engine, const char* what, percale_text** out_json);
void percale_engine_set_log(percale_engine* engine, percale_log_function function, void* user);
percale_status* percale_engine_set_log_owned(percale_engine* engine, percale_log_function function, void* user, percale_destroy destroy);
void percale_engine_memory(const percale_engine* engine, int64_t* out_used, int64_t* out_peak);
int64_t percale_engine_trim(percale_engine* engine);
percale_status* percale_engine_metrics(const percale_engine* engine, percale_text** out_json);
percale_status* percale_trainer_join(percale_trainer* trainer, const percale_collective* collective, percale_destroy destroy);
percale_status* percale_trainer_join_cluster(percale_trainer* trainer, const percale_cluster* cluster, int64_t timeout_ns);
percale_status* percale_dataset_from_tensors(percale_engine* engine, const char* const* names, percale_tensor* const* tensors, size_t count, percale_dataset** out_dataset);
percale_status* percale_dataset_from_files(percale_engine* engine, const char* const* names, const char* const* paths, size_t count, double scale, const char* csv, percale_dataset** out_dataset);
percale_status* percale_dataset_csv_rules(const percale_dataset* dataset, percale_text** out_text);
percale_status* percale_dataset_range(percale_engine* engine, const char* name, int64_t start, int64_t stop, int64_t step, percale_dataset** out_dataset);
percale_status* percale_dataset_generator(percale_engine* engine, const char* const* names, const percale_dtype* dtypes, const int64_t* const* dims, const size_t* ranks, size_t count, int64_t rows, percale_row_callback callback, void* user, percale_dataset** out_dataset);
percale_status* percale_dataset_generator_owned(percale_engine* engine, const char* const* names, const percale_dtype* dtypes, const int64_t* const* dims, const size_t* ranks, size_t count, int64_t rows, percale_row_callback callback, void* user, percale_destroy destroy, percale_dataset** out_dataset);
percale_status* percale_dataset_stream(percale_engine* engine, const char* const* names, const percale_dtype* dtypes, const int64_t* const* dims, const size_t* ranks, size_t count, percale_stream_callback callback, void* user, percale_destroy destroy, percale_dataset** out_dataset);
percale_status* percale_dataset_zip(percale_dataset* const* datasets, size_t count, percale_dataset** out_dataset);
percale_status* percale_dataset_concatenate(percale_dataset* const* datasets, size_t count, percale_dataset** out_dataset);
percale_status* percale_dataset_repeat(percale_dataset* dataset, int64_t times, percale_dataset** out_dataset);
percale_status* percale_dataset_map(percale_dataset* dataset, const percale_graph* graph, percale_dataset** out_dataset);
percale_status* percale_dataset_rename(percale_dataset* dataset, const char* const* names, size_t count, percale_dataset** out_dataset);
percale_status* percale_dataset_configure(percale_dataset* dataset, int64_t batch_size, int64_t shuffle_seed, int32_t drop_remainder);
percale_status* percale_dataset_distribute(percale_dataset* dataset, size_t replicas, percale_dataset** out_datasets);
int64_t percale_dataset_rows(const percale_dataset* dataset);
size_t percale_dataset_column_count(const percale_dataset* dataset);
const char* percale_dataset_get_column_name(const percale_dataset* dataset, size_t index);
percale_status* percale_dataset_column_type(const percale_dataset* dataset, size_t index, percale_dtype* out_dtype, int64_t* out_dims, size_t* out_rank);
percale_status* percale_dataset_next(percale_dataset* dataset, percale_tensor** out_tensors);
percale_dataset* percale_dataset_retain(percale_dataset* dataset);
void percale_dataset_release(percale_dataset* dataset);
percale_status* percale_tensor_create(percale_engine* engine, percale_dtype dtype, const int64_t* dims, size_t rank, percale_tensor** out_tensor);
percale_status* percale_tensor_from_memory(percale_dtype dtype, const int64_t* dims, size_t rank, void* data, size_t bytes, percale_deleter deleter, void* user, percale_tensor** out_tensor);
percale_status* percale_tensor_to_dlpack(percale_tensor* tensor, void** out_managed);
percale_status* percale_tensor_from_dlpack(void* managed, percale_tensor** out_tensor);
percale_status* percale_tensor_load(percale_engine* engine, const char* path, percale_tensor** out_tensor);
percale_status* percale_tensor_import(percale_engine* engine, const char* format, const void* bytes, size_t size, percale_tensor** out_tensor);
percale_status* percale_tensor_save(const percale_tensor* tensor, const char* path);
percale_tensor* percale_tensor_retain(percale_tensor* tensor);
void percale_tensor_release(percale_tensor* tensor);
percale_dtype percale_tensor_dtype(const percale_tensor* tensor);
size_t percale_tensor_rank(const percale_tensor* tensor);
const int64_t* percale_tensor_get_dims(const percale_tensor* tensor);
size_t percale_tensor_bytes(const percale_tensor* tensor);
int64_t percale_tensor_element_count(const percale_tensor* tensor);
void* percale_tensor_get_data(const percale_tensor* tensor);
percale_status* percale_graph_load(percale_engine* engine, const void* bytes, size_t size, percale_graph** out_graph);
percale_status* percale_graph_from_memory(percale_engine* engine, void* data, size_t bytes, percale_deleter deleter, void* user, int64_t* out_copied, percale_graph** out_graph);
percale_status* percale_graph_load_file(percale_engine* engine, const char* path, percale_graph** out_graph);
percale_status* percale_file_check(percale_engine* engine, const char* path);
percale_status* percale_graph_import(percale_engine* engine, const char* format, const char* path, percale_graph** out_graph);
percale_status* percale_graph_import_bytes(percale_engine* engine, const char* format, const void* bytes, size_t size, percale_graph** out_graph);
percale_status* percale_graph_save_file(const percale_graph* graph, const percale_variables* variables, const char* path);
percale_status* percale_graph_serialize(const percale_graph* graph, const percale_variables* variables, percale_text** out_bytes);
percale_status* percale_graph_export(percale_engine* engine, const percale_graph* graph, const percale_variables* variables, const char* format, const percale_options* options, const char* path);
percale_status* percale_graph_export_bytes(percale_engine* engine, const percale_graph* graph, const percale_variables* variables, const char* format, percale_text** out_bytes);
percale_graph* percale_graph_retain(percale_graph* graph);
void percale_graph_release(percale_graph* graph);
const char* percale_graph_get_input_name(const percale_graph* graph, size_t index);
const char* percale_graph_get_output_name(const percale_graph* graph, size_t index);
percale_status* percale_graph_value_type(const percale_graph* graph, const char* name, percale_dtype* out_dtype, int64_t* out_dims, size_t* out_rank);
percale_status* percale_graph_with_dims(const percale_graph* graph, const char* const* dims, size_t count, percale_graph** out_graph);
percale_status* percale_graph_describe(const percale_graph* graph, const char* what, percale_text** out_text);
percale_status* percale_graph_draw(const percale_graph* graph, const char* format, const char* trace, percale_text** out_text);
percale_status* percale_variables_create(percale_engine* engine, const percale_graph* graph, int64_t seed, percale_variables** out_variables);
percale_variables* percale_variables_retain(percale_variables* variables);
void percale_variables_release(percale_variables* variables);
size_t percale_variables_count(const percale_variables* variables);
const char* percale_variables_get_name(const percale_variables* variables, size_t index);
percale_status* percale_variables_value(const percale_variables* variables, const char* name, percale_tensor** out_tensor);
percale_status* percale_variables_assign(percale_variables* variables, const char* name, const percale_tensor* value);
int64_t percale_variables_version(const percale_variables* variables);
percale_status* percale_variables_digest(const percale_variables* variables, percale_text** out_digest);
percale_status* percale_variables_load(percale_variables* variables, const char* path, int32_t strict);
percale_status* percale_variables_load_memory(percale_variables* variables, void* data, size_t bytes, percale_deleter deleter, void* user, int32_t strict, int64_t* out_copied);
percale_status* percale_variables_load_mapped(percale_variables* variables, const char* path, const char* const* from, const char* const* to, size_t count, int32_t strict, int64_t* out_loaded);
percale_status* percale_variables_save(const percale_variables* variables, const char* path);
percale_status* percale_options_set_thread_pool(percale_options* options, const percale_thread_pool* pool, percale_destroy destroy);
void percale_task_run(percale_task* task);
void percale_task_release(percale_task* task);
percale_status* percale_options_set_reader(percale_options* options, const percale_reader* reader, percale_destroy destroy);
percale_status* percale_server_create(percale_engine* engine, const char* address, const char* certificates, percale_server** out_server);
int32_t percale_server_port(const percale_server* server);
percale_status* percale_server_wait(percale_server* server, int64_t timeout_ns);
void percale_server_release(percale_server* server);
percale_status* percale_session_create(percale_engine* engine, const percale_graph* graph, percale_variables* variables, const percale_options* options, percale_session** out_session);
percale_session* percale_session_retain(percale_session* session);
void percale_session_release(percale_session* session);
percale_status* percale_session_run(percale_session* session, const char* const* feed_names, percale_tensor* const* feeds, size_t feed_count, const char* const* fetch_names, size_t fetch_count, const char* const* target_names, size_t target_count, int64_t timeout_ns, percale_tensor** out_fetches);
percale_status* percale_session_run_versioned(percale_session* session, const char* const* feed_names, percale_tensor* const* feeds, size_t feed_count, const char* const* fetch_names, size_t fetch_count, const char* const* target_names, size_t target_count, int64_t timeout_ns, percale_tensor** out_fetches, int64_t* out_variables_version);
percale_status* percale_session_run_async(percale_session* session, const char* const* feed_names, percale_tensor* const* feeds, size_t feed_count, const char* const* fetch_names, size_t fetch_count, const char* const* target_names, size_t target_count, int64_t timeout_ns, percale_event** out_event);
void percale_session_cancel(percale_session* session);
percale_status* percale_session_explain(percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes, const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names, size_t fetch_count, const char* what, percale_text** out_text);
percale_status* percale_session_draw(percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes, const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names, size_t fetch_count, const char* format, const char* trace, percale_text** out_text);
percale_status* percale_session_stats(const percale_session* session, percale_text** out_json);
percale_status* percale_call_create(percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes, const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names, size_t fetch_count, percale_call** out_call);
percale_status* percale_call_run(percale_call* call, percale_tensor* const* inputs, percale_tensor* const* outputs);
percale_status* percale_call_run_until(percale_call* call, percale_tensor* const* inputs, percale_tensor* const* outputs, int64_t timeout_ns, percale_cancellation* cancellation);
percale_status* percale_call_carry(percale_call* call, size_t fetch, size_t feed);
percale_status* percale_call_output_type(const percale_call* call, size_t index, percale_dtype* out_dtype, int64_t* out_dims, size_t* out_rank);
int64_t percale_call_variables_version(const percale_call* call);
void percale_call_release(percale_call* call);
int32_t percale_event_poll(const percale_event* event);
percale_status* percale_event_wait(percale_event* event, int64_t timeout_ns);
percale_status* percale_event_on_ready(percale_event* event, percale_event_callback callback, void* user);
void percale_event_cancel(percale_event* event);
percale_status* percale_event_result(percale_event* event, size_t index, percale_tensor** out_tensor);
int64_t percale_event_variables_version(const percale_event* event);
percale_event* percale_event_retain(percale_event* event);
void percale_event_release(percale_event* event);
percale_code percale_status_code(const percale_status* status);
const char* percale_status_message(const percale_status* status, size_t* out_size);
const char* percale_code_name(percale_code code);
const char* percale_dtype_name(percale_dtype dtype);
percale_status* percale_status_create(percale_code code, const char* message, size_t size);
percale_status* percale_status_retain(percale_status* status);
void percale_status_release(percale_status* status);
int64_t percale_status_live_count(void);
const char* percale_text_data(const percale_text* text, size_t* out_size);
void percale_text_release(percale_text* text);
percale_status* percale_cancellation_create(percale_cancellation** out_cancellation);
void percale_cancellation_cancel(percale_cancellation* cancellation);
int32_t percale_cancellation_poll(const percale_cancellation* cancellation);
percale_cancellation* percale_cancellation_retain(percale_cancellation* cancellation);
void percale_cancellation_release(percale_cancellation* cancellation);
percale_status* percale_trainer_create(percale_engine* engine, const percale_graph* graph, percale_variables* variables, const percale_options* options, percale_trainer** out_trainer);
percale_status* percale_trainer_from_spec(percale_engine* engine, const char* spec, size_t spec_size, const char* spec_folder, const char* data_folder, const percale_options* options, percale_trainer** out_trainer);
percale_trainer* percale_trainer_retain(percale_trainer* trainer);
void percale_trainer_release(percale_trainer* trainer);
percale_status* percale_trainer_step(percale_trainer* trainer, const char* const* names, percale_tensor* const* batch, size_t count, double* out_loss);
percale_status* percale_trainer_step_fetch(percale_trainer* trainer, const char* const* names, percale_tensor* const* batch, size_t count, const char* const* fetches, size_t fetch_count, percale_tensor** out_tensors, double* out_loss);
percale_status* percale_trainer_fit(percale_trainer* trainer, percale_dataset* dataset, int64_t epochs, percale_progress_callback callback, void* user);
percale_status* percale_trainer_set_validation(percale_trainer* trainer, percale_dataset* dataset);
percale_status* percale_trainer_evaluate(percale_trainer* trainer, percale_dataset* dataset, percale_text** out_json);
percale_status* percale_trainer_publish(percale_trainer* trainer);
percale_status* percale_trainer_set_learning_rate(percale_trainer* trainer, double rate);
void percale_trainer_cancel(percale_trainer* trainer);
void percale_trainer_set_cancellation(percale_trainer* trainer, percale_cancellation* cancellation);
percale_status* percale_trainer_save(percale_trainer* trainer, const char* folder);
percale_status* percale_trainer_restore(percale_trainer* trainer, const char* path);
percale_status* percale_trainer_lock_folder(percale_trainer* trainer, const char* folder, int32_t overwrite);
percale_status* percale_trainer_model(percale_trainer* trainer, percale_graph** out_graph);
percale_status* percale_trainer_variables(percale_trainer* trainer, percale_variables** out_variables);
int64_t percale_trainer_steps(const percale_trainer* trainer);
percale_status* percale_trainer_history(const percale_trainer* trainer, const char* format, percale_text** out_text);
percale_status* percale_trainer_describe(const percale_trainer* trainer, percale_text** out_json);
percale_status* percale_trace_create(percale_engine* engine, percale_trace** out_trace);
void percale_session_set_trace(percale_session* session, percale_trace* trace);
void percale_trainer_set_trace(percale_trainer* trainer, percale_trace* trace);
percale_status* percale_trace_json(const percale_trace* trace, percale_text** out_json);
void percale_trace_release(percale_trace* trace);
"""

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16
DTYPE_INVALID = 0
DTYPE_F32 = 1
DTYPE_U8 = 2
DTYPE_I8 = 3
DTYPE_U16 = 4
DTYPE_I16 = 5
DTYPE_I32 = 6
DTYPE_I64 = 7
DTYPE_STRING = 8
DTYPE_BOOL = 9
DTYPE_F16 = 10
DTYPE_F64 = 11
DTYPE_U32 = 12
DTYPE_U64 = 13
DTYPE_COMPLEX64 = 14
DTYPE_COMPLEX128 = 15
DTYPE_BF16 = 16
DTYPE_F8E4M3FN = 17
DTYPE_F8E4M3FNUZ = 18
DTYPE_F8E5M2 = 19
DTYPE_F8E5M2FNUZ = 20
DTYPE_U4 = 21
DTYPE_I4 = 22
DTYPE_F4E2M1 = 23
DTYPE_F8E8M0 = 24
DTYPE_U2 = 25
DTYPE_I2 = 26
LOG_DEBUG = 0
LOG_INFO = 1
LOG_WARNING = 2
LOG_ERROR = 3
NO_VALUE = -1
NUL_ENDED = -1
FOREVER = -1

/* The loop that Overhead.java compares itself with. */
typedef void* (*run_function)(void* call, void* inputs, void* outputs);

void loop(void* run, void* call, void* inputs, void* outputs, long long times);
void loop(void* run, void* call, void* inputs, void* outputs, long long times) {
  run_function function = (run_function)run;
  while (times-- > 0) function(call, inputs, outputs);
}

// percale.h with owners for its handles and exceptions for its statuses.
#ifndef PERCALE_BINDINGS_CLI_API_H_
#define PERCALE_BINDINGS_CLI_API_H_

#include <percale.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "args.h"
#include "json.h"

namespace percale_cli {

// What went wrong; exit code 1.
struct Failure {
  std::string message;
  percale_code code = PERCALE_UNKNOWN;
};

// Throws Failure for an error, with `context` and ": " before it when that is not empty.
void check(percale_status* status, std::string_view context = {});

// The same for what a flag has set, as UsageError.
void check_setting(percale_status* status, std::string_view flag);

template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T* handle) const {
    Release(handle);
  }
};
using Options = std::unique_ptr<percale_options, Releaser<&percale_options_release>>;
using Engine = std::unique_ptr<percale_engine, Releaser<&percale_engine_release>>;
using Tensor = std::unique_ptr<percale_tensor, Releaser<&percale_tensor_release>>;
using Graph = std::unique_ptr<percale_graph, Releaser<&percale_graph_release>>;
using Variables = std::unique_ptr<percale_variables, Releaser<&percale_variables_release>>;
using Session = std::unique_ptr<percale_session, Releaser<&percale_session_release>>;
using Call = std::unique_ptr<percale_call, Releaser<&percale_call_release>>;
using Trainer = std::unique_ptr<percale_trainer, Releaser<&percale_trainer_release>>;
using Trace = std::unique_ptr<percale_trace, Releaser<&percale_trace_release>>;

// Takes the text over.
std::string take_text(percale_text* text);

// The options that the common flags set, and the engine that they make.
struct Setup {
  explicit Setup(const Args& args);
  void make_engine();
  Options engine_options, session_options, trainer_options, export_options;
  Engine engine;
  bool bf16 = false;  // --option precision=bf16

 private:
  bool names_devices_;  // --devices
};

struct Value {
  std::string name;
  percale_dtype dtype = PERCALE_DTYPE_INVALID;
  std::vector<int64_t> dims;
  bool ranked = true;  // otherwise `dims` is empty and says nothing
};

// The graph of a MODEL: a .percale file, or an .onnx file through the importer.
Graph open_graph(const Setup& setup, const std::string& path);

// A graph from a file, with its variables and what it says of itself.
struct Model {
  Model(const Setup& setup, const std::string& path);
  Model(const Setup& setup, Graph made);
  Graph graph;
  Variables variables;
  Json summary;
  std::vector<Value> inputs, outputs;
};

// Names and types of feeds in the form that the API takes them.
struct Feeds {
  std::vector<const char*> names;
  std::vector<percale_dtype> dtypes;
  std::vector<const int64_t*> dims;
  std::vector<size_t> ranks;
  size_t count() const { return names.size(); }
};
Feeds feeds_of(const std::vector<Value>& values);
std::vector<const char*> names_of(const std::vector<Value>& values);

// The inputs of the model with --feed-shape NAME=1,3,224,224 put in; dims that are still unknown become 1.
std::vector<Value> shaped_inputs(const Model& model, const Args& args);
// The end of a message: which inputs have dims that shaped_inputs() took as 1, and the flags that
// set them. "" if there are none.
std::string guessed_dims(const Model& model, const Args& args);
// Runs `work` and appends guessed_dims() to the message of a failure.
template <class F>
auto with_guessed_dims(const Model& model, const Args& args, F&& work) {
  try {
    return work();
  } catch (Failure& failure) {
    failure.message += guessed_dims(model, args);
    throw;
  }
}
// Tensors of these types: small random numbers where they are floats, zeros elsewhere; the same each time.
std::vector<Tensor> sample_tensors(const Setup& setup, const std::vector<Value>& values);
// The values of --feed NAME=FILE.npy for inputs; an input without one is an error that names it.
std::vector<Tensor> fed_tensors(const Setup& setup, const std::vector<Value>& inputs, const Args& args);
template <class T>
auto pointers(const std::vector<T>& owners) {
  std::vector<typename T::pointer> out;
  for (const T& owner : owners) out.push_back(owner.get());
  return out;
}
Session make_session(const Setup& setup, const Model& model);
Trace make_trace(const Setup& setup);
void write_trace(const Trace& trace, const std::string& path);

// "f32" of its number, from the API's own list.
std::string dtype_name(percale_dtype dtype);
// "[?,28,28,1]"
std::string shape_text(const std::vector<int64_t>& dims);

// Whole or not at all.
void write_file(const std::string& path, const std::string& bytes);
std::string read_file(const std::string& path);
// The folder and those above it.
void make_folder(const std::string& path);

// The text for people: on a terminal control characters become "\x1b", since names from files may hold any. `stream`: 1 or 2.
std::string shown(std::string_view text, int stream);
// On stderr: "percale: " and the message, coloured on a terminal.
void say_error(std::string_view message);
void say_note(std::string_view message);
bool stderr_is_terminal();
int stderr_columns();  // of the terminal now; 80 when it does not say
// Escape sequences, empty where there must be no colour. `stream`: 1 or 2.
std::string_view bold(int stream);
std::string_view plain(int stream);
std::string_view red(int stream);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_API_H_

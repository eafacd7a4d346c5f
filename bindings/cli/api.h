// Owners for the handles of percale.h, and exceptions for its statuses.
#ifndef PERCALE_BINDINGS_CLI_API_H_
#define PERCALE_BINDINGS_CLI_API_H_

#include <percale.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "args.h"
#include "json.h"

namespace percale_cli {

// An error; exit code 1.
struct Failure {
  std::string message;
  percale_code code = PERCALE_UNKNOWN;
};

// Throws Failure for an error. If `context` is not empty, the message starts with it and ": ".
void check(percale_status* status, std::string_view context = {});

// Like check(), for a value that a flag has set. Throws UsageError.
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

// Takes ownership of the text.
std::string take_text(percale_text* text);

// Returns the table of all options, which percale_options_describe() prints.
Json option_table();

// The options that the flags set, and the engine made with them.
struct Setup {
  explicit Setup(const Args& args);
  void make_engine();
  // `kind` is one of percale_options_describe().
  percale_options* options_of(std::string_view kind) const;
  Options engine_options, session_options, trainer_options, export_options;
  Engine engine;
  bool bf16 = false;  // --option precision=bf16

 private:
  bool names_devices_, names_plugins_;  // --devices and --plugin were given
};

// The devices of the engine, "cpu:0, cuda:0"; "none".
std::string device_names(const Setup& setup);

// The folder that PERCALE_CERTIFICATES names; "": none.
std::string certificates_folder();

// The name and the type of an input or an output.
struct Value {
  std::string name;
  percale_dtype dtype = PERCALE_DTYPE_INVALID;
  std::vector<int64_t> dims;
  bool ranked = true;  // false: unknown rank; `dims` is empty and has no meaning
};

// Opens the graph of a MODEL: a .percale file, or an .onnx file through the importer.
Graph open_graph(const Setup& setup, const std::string& path);

// A graph from a file, with its variables and its description.
struct Model {
  Model(const Setup& setup, const std::string& path);
  Model(const Setup& setup, Graph made);
  Graph graph;
  Variables variables;
  Json summary;
  std::vector<Value> inputs, outputs;
};

// Names and types of feeds in the form of the API.
struct Feeds {
  std::vector<const char*> names;
  std::vector<percale_dtype> dtypes;
  std::vector<const int64_t*> dims;
  std::vector<size_t> ranks;
  size_t count() const { return names.size(); }
};
Feeds feeds_of(const std::vector<Value>& values);
std::vector<const char*> names_of(const std::vector<Value>& values);

// Returns the inputs of the model with --feed-shape NAME=1,3,224,224 applied. Dims that are still
// unknown become 1.
std::vector<Value> shaped_inputs(const Model& model, const Args& args);
// Returns the end of a message: the inputs with dims that shaped_inputs() took as 1, and the flags
// that set them. "" if there are none.
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
// Returns tensors of these types: small random numbers for floats, zeros for others; the same each
// time.
std::vector<Tensor> sample_tensors(const Setup& setup, const std::vector<Value>& values);
// Returns the values of --feed NAME=FILE.npy for inputs. An input without one is an error that
// names it.
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

// Returns "f32" for its number, from the API's own list.
std::string dtype_name(percale_dtype dtype);
// "[?,28,28,1]"
std::string shape_text(const std::vector<int64_t>& dims);

// Writes the whole file or nothing.
void write_file(const std::string& path, const std::string& bytes);
std::string read_file(const std::string& path);
// Makes the folder and its parents.
void make_folder(const std::string& path);

// Returns the text for people. On a terminal, control characters become "\x1b" and so on, because
// names from files may contain them. Newlines stay. `stream`: 1 or 2.
std::string shown(std::string_view text, int stream);
// Prints like std::fprintf(), but as shown(). Everything for people that may contain a name goes
// through here, say_error() or say_note(). `to`: stdout or stderr.
[[gnu::format(printf, 2, 3)]] void print(std::FILE* to, const char* format, ...);
// Prints "percale: " and the message to stderr, coloured on a terminal.
void say_error(std::string_view message);
void say_note(std::string_view message);
bool stderr_is_terminal();
int stderr_columns();  // current width of the terminal; 80 if unknown
// Return escape sequences; empty if colour is not allowed. `stream`: 1 or 2.
std::string_view bold(int stream);
std::string_view plain(int stream);
std::string_view red(int stream);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_API_H_

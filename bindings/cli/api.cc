#include "api.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "system/system.h"

namespace percale_cli {
namespace {

bool may_colour(int stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return is_terminal(stream) && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

Options make_options(const char* kind) {
  percale_options* options = nullptr;
  check(percale_options_create(kind, &options));
  return Options(options);
}

// Applies --option KEY=VALUE to every kind of options that knows KEY.
void set_option(Setup& setup, const Json& table, const std::string& key, const std::string& value) {
  bool known = false;
  for (const Json& option : table.items()) {
    if (option["key"].text() != key) continue;
    if (key == "precision") setup.bf16 = value == "bf16";
    known = true;
    percale_options* target = setup.options_of(option["kind"].text());
    check_setting(percale_options_set(target, key.c_str(), value.c_str()), "--option");
  }
  if (known) return;
  std::vector<std::string> names;
  for (const Json& option : table.items()) names.push_back(option["key"].text());
  throw UsageError{"--option: there is no option '" + key + "'" + did_you_mean(key, names)};
}

bool is_fed(const Value& value, const Args& args) {
  const auto& feeds = args.all("--feed");
  return std::any_of(feeds.begin(), feeds.end(), [&](const auto& pair) { return pair.starts_with(value.name + "="); });
}

std::vector<Value> values_of(const Json& list) {
  std::vector<Value> out;
  for (const Json& item : list.items()) {
    Value value;
    value.name = item["name"].text();
    value.dtype = PERCALE_DTYPE_INVALID;
    for (percale_dtype d = PERCALE_DTYPE_F32; d <= PERCALE_DTYPE_I2; ++d) {
      if (dtype_name(d) == item["dtype"].text()) value.dtype = d;
    }
    value.ranked = item["dims"].given();
    for (const Json& dim : item["dims"].items()) value.dims.push_back(dim.integer());
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace

void check(percale_status* status, std::string_view context) {
  if (status == nullptr) return;
  std::string message = percale_status_message(status, nullptr);
  if (message.empty()) message = percale_code_name(percale_status_code(status));
  const percale_code code = percale_status_code(status);
  if (code == PERCALE_UNIMPLEMENTED) message = "UNIMPLEMENTED: " + message;
  percale_status_release(status);
  throw Failure{context.empty() ? message : std::string(context) + ": " + message, code};
}

void check_setting(percale_status* status, std::string_view flag) {
  try {
    check(status, flag);
  } catch (const Failure& failure) {
    throw UsageError{failure.message};
  }
}

std::string take_text(percale_text* text) {
  size_t size = 0;
  const char* data = percale_text_data(text, &size);
  std::string out(data, size);
  percale_text_release(text);
  return out;
}

Json option_table() {
  percale_text* text = nullptr;
  check(percale_options_describe(&text));
  return Json::parse(take_text(text));
}

Setup::Setup(const Args& args)
    : engine_options(make_options("engine")),
      session_options(make_options("session")),
      trainer_options(make_options("trainer")),
      export_options(make_options("export")),
      names_devices_(args.has("--devices")),
      names_plugins_(args.has("--plugin")) {
  const std::string certificates = certificates_folder();
  check(percale_options_set(engine_options.get(), "certificates", certificates.c_str()));
  const Json table = option_table();
  for (const std::string& pair : args.all("--option")) {
    const auto [key, value] = split_pair("--option", pair);
    set_option(*this, table, key, value);
  }
  for (const auto& [flag, value] : args.options()) {
    const std::string key(flag->sets.key);
    check_setting(percale_options_set(options_of(flag->sets.kind), key.c_str(), value.c_str()), flag->name);
  }
  std::string plugins;
  for (const std::string& path : args.all("--plugin")) plugins += (plugins.empty() ? "" : ":") + path;
  if (!plugins.empty()) check(percale_options_set(engine_options.get(), "plugin_path", plugins.c_str()), "--plugin");
}

percale_options* Setup::options_of(std::string_view kind) const {
  if (kind == "engine") return engine_options.get();
  if (kind == "session") return session_options.get();
  return kind == "export" ? export_options.get() : trainer_options.get();
}

std::string device_names(const Setup& setup) {
  std::string out;
  for (size_t i = 0; i < percale_engine_device_count(setup.engine.get()); ++i) {
    out += (i == 0 ? "" : ", ") + std::string(percale_engine_get_device_name(setup.engine.get(), i));
  }
  return out.empty() ? "none" : out;
}

std::string certificates_folder() {
  const char* folder = std::getenv("PERCALE_CERTIFICATES");
  return folder == nullptr ? "" : folder;
}

void Setup::make_engine() {
  percale_engine* made = nullptr;
  percale_status* status = percale_engine_create(engine_options.get(), &made);
  const std::string_view message = percale_status_message(status, nullptr);
  const percale_code code = percale_status_code(status);
  // A plug-in that is there but cannot be loaded is no wrong path.
  const bool of_path = code == PERCALE_NOT_FOUND || code == PERCALE_INVALID_ARGUMENT;
  if (names_devices_ && message.starts_with("devices: ")) check_setting(status, "--devices");
  if (names_plugins_ && of_path && message.starts_with("plug-in ")) check_setting(status, "--plugin");
  check(status);
  engine.reset(made);
  percale_engine_set_log(
      made,
      [](void*, int32_t level, const char* message, size_t size) {
        static constexpr const char* kLevels[] = {"debug", "info", "warning", "error"};
        if (stderr_is_terminal()) std::fputs("\r\033[K", stderr);  // overwrites a progress bar
        say_note(std::string(kLevels[level < 0 || level > 3 ? 3 : level]) + ": " + std::string(message, size));
      },
      nullptr);
}

Graph open_graph(const Setup& setup, const std::string& path) {
  percale_graph* made = nullptr;
  if (path.ends_with(".onnx")) {
    check(percale_graph_import(setup.engine.get(), "onnx", path.c_str(), &made));
  } else {
    check(percale_graph_load_file(setup.engine.get(), path.c_str(), &made));
  }
  return Graph(made);
}

Model::Model(const Setup& setup, const std::string& path) : Model(setup, open_graph(setup, path)) {}

Model::Model(const Setup& setup, Graph made) : graph(std::move(made)) {
  percale_text* text = nullptr;
  check(percale_graph_describe(graph.get(), "summary", &text));
  summary = Json::parse(take_text(text));
  inputs = values_of(summary["inputs"]);
  outputs = values_of(summary["outputs"]);
  if (!summary["variables"].items().empty()) {
    percale_variables* table = nullptr;
    check(percale_variables_create(setup.engine.get(), graph.get(), 0, &table));
    variables.reset(table);
  }
}

Feeds feeds_of(const std::vector<Value>& values) {
  Feeds out;
  for (const Value& value : values) {
    out.names.push_back(value.name.c_str());
    out.dtypes.push_back(value.dtype);
    out.dims.push_back(value.dims.data());
    out.ranks.push_back(value.dims.size());
  }
  return out;
}

std::vector<const char*> names_of(const std::vector<Value>& values) {
  std::vector<const char*> out;
  for (const Value& value : values) out.push_back(value.name.c_str());
  return out;
}

std::vector<Value> shaped_inputs(const Model& model, const Args& args) {
  std::vector<Value> out = model.inputs;
  for (const std::string& pair : args.all("--feed-shape")) {
    const auto [name, text] = split_pair("--feed-shape", pair);
    Value* found = nullptr;
    for (Value& value : out) {
      if (value.name == name) found = &value;
    }
    if (found == nullptr) throw UsageError{"--feed-shape: the model has no input '" + name + "'"};
    found->dims.clear();
    found->ranked = true;
    std::stringstream dims(text);
    for (std::string dim; std::getline(dims, dim, ',');) {
      char* end = nullptr;
      const long long value = std::strtoll(dim.c_str(), &end, 10);
      if (dim.empty() || *end != '\0' || value < 0)
        throw UsageError{"--feed-shape: '" + dim + "' is not a dim; wanted an integer of at least 0"};
      found->dims.push_back(value);
    }
  }
  for (Value& value : out) {
    if (!value.ranked && !is_fed(value, args)) {
      throw UsageError{"the rank of input '" + value.name + "' is unknown: give --feed-shape " + value.name + "=DIMS"};
    }
    for (int64_t& dim : value.dims) {
      if (dim < 0) dim = 1;
    }
  }
  return out;
}

std::string guessed_dims(const Model& model, const Args& args) {
  std::string out;
  for (const Value& value : model.inputs) {
    bool known = std::all_of(value.dims.begin(), value.dims.end(), [](int64_t dim) { return dim >= 0; });
    for (const std::string& pair : args.all("--feed-shape")) known = known || pair.starts_with(value.name + "=");
    known = known || is_fed(value, args);
    const std::string shape = shape_text(value.dims);
    if (!known) {
      out += (out.empty() ? "" : " ") + ("--feed-shape " + value.name + "=" + shape.substr(1, shape.size() - 2));
    }
  }
  return out.empty() ? out : "; unknown dims were set to 1, set them with: " + out;
}

std::vector<Tensor> sample_tensors(const Setup& setup, const std::vector<Value>& values) {
  std::vector<Tensor> out;
  uint32_t state = 1;
  const auto next = [&state] {  // in [-0.5, 0.5)
    state = state * 1664525u + 1013904223u;
    return static_cast<double>(state >> 8) / 16777216.0 - 0.5;
  };
  for (const Value& value : values) {
    percale_tensor* tensor = nullptr;
    check(percale_tensor_create(setup.engine.get(), value.dtype, value.dims.data(), value.dims.size(), &tensor),
          "input '" + value.name + "'");
    out.emplace_back(tensor);
    const int64_t count = percale_tensor_element_count(tensor);
    if (value.dtype == PERCALE_DTYPE_F32) {
      for (int64_t i = 0; i < count; ++i)
        static_cast<float*>(percale_tensor_get_data(tensor))[i] = static_cast<float>(next());
    } else if (value.dtype == PERCALE_DTYPE_F64) {
      for (int64_t i = 0; i < count; ++i) static_cast<double*>(percale_tensor_get_data(tensor))[i] = next();
    }
  }
  return out;
}

std::vector<Tensor> fed_tensors(const Setup& setup, const std::vector<Value>& inputs, const Args& args) {
  std::vector<Tensor> out(inputs.size());
  for (const std::string& pair : args.all("--feed")) {
    const auto [name, path] = split_pair("--feed", pair);
    bool found = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].name != name) continue;
      percale_tensor* tensor = nullptr;
      check(percale_tensor_load(setup.engine.get(), path.c_str(), &tensor));
      out[i].reset(tensor);
      found = true;
    }
    if (!found) throw UsageError{"--feed: the model has no input '" + name + "'"};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (out[i] == nullptr)
      throw Failure{"input '" + inputs[i].name + "' is not fed: give --feed " + inputs[i].name + "=FILE.npy"};
  }
  return out;
}

Session make_session(const Setup& setup, const Model& model) {
  percale_session* session = nullptr;
  check(percale_session_create(setup.engine.get(), model.graph.get(), model.variables.get(),
                               setup.session_options.get(), &session));
  return Session(session);
}

Trace make_trace(const Setup& setup) {
  percale_trace* made = nullptr;
  check(percale_trace_create(setup.engine.get(), &made));
  return Trace(made);
}

void write_trace(const Trace& trace, const std::string& path) {
  percale_text* text = nullptr;
  check(percale_trace_json(trace.get(), &text));
  write_file(path, take_text(text));
}

std::string dtype_name(percale_dtype dtype) {
  static constexpr const char* kNames[] = {
      "invalid",    "f32",    "u8",         "i8",  "u16", "i16",       "i32",        "i64",  "string",
      "bool",       "f16",    "f64",        "u32", "u64", "complex64", "complex128", "bf16", "f8e4m3fn",
      "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "u4",  "i4",  "f4e2m1",    "f8e8m0",     "u2",   "i2"};
  return dtype < 0 || dtype > PERCALE_DTYPE_I2 ? "invalid" : kNames[dtype];
}

std::string shape_text(const std::vector<int64_t>& dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) out += ',';
    out += dims[i] < 0 ? std::string("?") : std::to_string(dims[i]);
  }
  return out + "]";
}

// Writes a temporary file and renames it, so that the file is either complete or unchanged. Pipes
// and terminals are written directly.
void write_file(const std::string& path, const std::string& bytes) {
  std::error_code error;
  const auto status = std::filesystem::status(path_of(path), error);
  const bool at_once = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::string target = at_once ? path : text_of(std::filesystem::weakly_canonical(path_of(path), error));
  const std::string first = at_once ? path : target + ".part";
  std::FILE* file = open_file(first, "wb");
  bool good = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int reason = errno;
  if (file != nullptr && std::fclose(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && !at_once && !rename_file(first, target)) {
    good = false;
    reason = errno;
  }
  if (good) return;
  if (file != nullptr && !at_once) remove_file(first);
  throw Failure{path + ": cannot be written: " + std::strerror(reason), PERCALE_UNAVAILABLE};
}

std::string read_file(const std::string& path) {
  std::FILE* const file = open_file(path, "rb");
  std::string out;
  char part[65536];
  bool good = file != nullptr;
  for (size_t got = 1; good && got > 0;) {
    got = std::fread(part, 1, sizeof part, file);
    out.append(part, got);
    good = std::ferror(file) == 0;
  }
  const int reason = errno;
  if (file != nullptr) std::fclose(file);
  if (!good) throw Failure{path + ": cannot be read: " + std::strerror(reason), PERCALE_NOT_FOUND};
  return out;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path_of(path), error);
  if (error) throw Failure{path + ": " + error.message()};
}

bool stderr_is_terminal() { return is_terminal(2); }

int stderr_columns() { return terminal_columns(2); }

std::string_view bold(int stream) { return may_colour(stream) ? "\033[1m" : ""; }
std::string_view plain(int stream) { return may_colour(stream) ? "\033[0m" : ""; }
std::string_view red(int stream) { return may_colour(stream) ? "\033[1;31m" : ""; }

std::string shown(std::string_view text, int stream) {
  if (!is_terminal(stream)) return std::string(text);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || (byte >= 0x20 && byte != 0x7F)) {
      out += c;
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
    out += escaped;
  }
  return out;
}

void print(std::FILE* to, const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::vector<char> text(static_cast<size_t>(std::max(size, 0)) + 1);  // ends with a NUL
  std::vsnprintf(text.data(), text.size(), format, again);
  va_end(again);
  std::fputs(shown(text.data(), to == stdout ? 1 : 2).c_str(), to);
}

void say_error(std::string_view message) {
  const std::string text = std::string(red(2)) + "percale: " + std::string(plain(2)) + shown(message, 2) + "\n";
  std::fputs(text.c_str(), stderr);
}

void say_note(std::string_view message) {
  const std::string text = "percale: " + shown(message, 2) + "\n";
  std::fputs(text.c_str(), stderr);
}

}  // namespace percale_cli

// Predictions for the rows of data files, as CSV.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "api.h"
#include "commands.h"
#include "system/system.h"

namespace percale_cli {
namespace {

using Dataset = std::unique_ptr<percale_dataset, Releaser<&percale_dataset_release>>;

constexpr int64_t kRowsAtOnce = 256;

constexpr Flag kPredictFlags[] = {
    {"--input", "NAME=FILE",
     "File with the values of one input; default: DATA for all inputs; FILE#a,b selects columns of a CSV file."},
    {"--csv", "JSON", "Rules for reading CSV files; default: those of the model's training data."},
    {"--scale", "X", "Factor for integers of IDX files; default 1."},
    {"--batch", "N", "Number of rows computed at once; default 256, or the batch size of the model."},
    {"--out", "FILE.csv", "Output file; default: standard output."},
};

// Returns the CSV rules that a training has stored in the model; absent if there are none.
Json trained_rules(const Model& model) {
  const Json rules = model.summary["metadata"]["percale.csv"];
  return rules.given() ? Json::parse(rules.text()) : Json();
}

Dataset open_data(const Setup& setup, const Model& model, const Args& args) {
  std::vector<std::string> names, paths;
  const std::string everything = args.positional().size() > 1 ? args.positional()[1] : "";
  for (const Value& input : model.inputs) {
    std::string path = everything;
    for (const std::string& pair : args.all("--input")) {
      const auto [name, file] = split_pair("--input", pair);
      if (name == input.name) path = file;
    }
    if (path.empty())
      throw UsageError{"no file for input '" + input.name + "': give DATA, or --input " + input.name + "=FILE"};
    names.push_back(input.name);
    paths.push_back(path);
  }
  for (const std::string& pair : args.all("--input")) {
    const std::string name = split_pair("--input", pair).first;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw UsageError{"--input: the model has no input '" + name + "'" + did_you_mean(name, names)};
    }
  }
  const std::string rules = args.has("--csv") ? args.get("--csv") : model.summary["metadata"]["percale.csv"].text();
  std::vector<const char*> c_names, c_paths;
  for (size_t i = 0; i < names.size(); ++i) c_names.push_back(names[i].c_str()), c_paths.push_back(paths[i].c_str());
  percale_dataset* made = nullptr;
  percale_status* status = percale_dataset_from_files(setup.engine.get(), c_names.data(), c_paths.data(),
                                                      c_names.size(), 0, rules.c_str(), &made);
  const bool of_rules = std::string_view(percale_status_message(status, nullptr)).starts_with("csv: ");
  if (args.has("--csv") && of_rules) check_setting(status, "--csv");
  check(status);
  return Dataset(made);
}

template <class From, class To>
void convert(const From* from, int64_t count, double scale, To* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = scale == 1 ? static_cast<To>(from[i]) : static_cast<To>(static_cast<double>(from[i]) * scale);
  }
}

template <class From>
bool convert_from(const void* data, int64_t count, double scale, percale_dtype to, void* out) {
  const auto* from = static_cast<const From*>(data);
  switch (to) {
    case PERCALE_DTYPE_F32: convert(from, count, scale, static_cast<float*>(out)); return true;
    case PERCALE_DTYPE_F64: convert(from, count, scale, static_cast<double*>(out)); return true;
    case PERCALE_DTYPE_I32: convert(from, count, 1, static_cast<int32_t*>(out)); return std::is_integral_v<From>;
    case PERCALE_DTYPE_I64: convert(from, count, 1, static_cast<int64_t*>(out)); return std::is_integral_v<From>;
    default: return false;
  }
}

// Converts the elements of a batch to another dtype. Returns false for a dtype that files do not
// have.
bool convert_elements(const percale_tensor* from, double scale, percale_tensor* to) {
  const void* data = percale_tensor_get_data(from);
  void* out = percale_tensor_get_data(to);
  const int64_t count = percale_tensor_element_count(from);
  const percale_dtype dtype = percale_tensor_dtype(to);
  switch (percale_tensor_dtype(from)) {
    case PERCALE_DTYPE_F32: return convert_from<float>(data, count, scale, dtype, out);
    case PERCALE_DTYPE_F64: return convert_from<double>(data, count, scale, dtype, out);
    case PERCALE_DTYPE_U8: return convert_from<uint8_t>(data, count, scale, dtype, out);
    case PERCALE_DTYPE_I8: return convert_from<int8_t>(data, count, scale, dtype, out);
    case PERCALE_DTYPE_I16: return convert_from<int16_t>(data, count, scale, dtype, out);
    case PERCALE_DTYPE_I32: return convert_from<int32_t>(data, count, scale, dtype, out);
    case PERCALE_DTYPE_I64: return convert_from<int64_t>(data, count, scale, dtype, out);
    default: return false;
  }
}

// True if rows of these dims, without the first one, have the same meaning in row-major order, as
// in training. Dims of 1 are ignored, and a flat row matches any dims.
bool rows_agree(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const auto without_ones = [](const std::vector<int64_t>& dims) {
    std::vector<int64_t> out;
    std::copy_if(dims.begin() + 1, dims.end(), std::back_inserter(out), [](int64_t dim) { return dim != 1; });
    return out;
  };
  const std::vector<int64_t> one = without_ones(a), other = without_ones(b);
  return one == other || one.size() < 2 || other.size() < 2;
}

// Converts a batch to the model's dtype, shape and number of rows (padded with zeros).
Tensor fitted(const Setup& setup, Tensor batch, const Value& input, double scale) {
  const int64_t* dims = percale_tensor_get_dims(batch.get());
  const std::vector<int64_t> have(dims, dims + percale_tensor_rank(batch.get()));
  std::vector<int64_t> want = input.ranked ? input.dims : have;
  const auto refuse = [&](const std::string& what) {
    return Failure{"input '" + input.name + "' is " + dtype_name(input.dtype) + " " + shape_text(input.dims) +
                   ", but the data is " + dtype_name(percale_tensor_dtype(batch.get())) + " " + shape_text(have) +
                   what};
  };
  if (want.empty()) throw refuse(": the input has no dim for rows");
  const int64_t rows = have[0];
  if (want[0] < 0) want[0] = rows;
  int64_t wanted_row = 1, row = 1;
  for (size_t i = 1; i < want.size(); ++i) {
    if (want[i] < 0 && want.size() == have.size()) want[i] = have[i];
    if (want[i] < 0) throw refuse("");
    wanted_row *= want[i];
  }
  for (size_t i = 1; i < have.size(); ++i) row *= have[i];
  if (row != wanted_row || rows > want[0]) throw refuse("");
  if (!rows_agree(want, have)) throw refuse(": the dims are in another order");
  if (want == have && percale_tensor_dtype(batch.get()) == input.dtype && scale == 1) return batch;
  percale_tensor* made = nullptr;
  check(percale_tensor_create(setup.engine.get(), input.dtype, want.data(), want.size(), &made));
  Tensor out(made);
  const double factor = percale_tensor_dtype(batch.get()) == PERCALE_DTYPE_F32 ? 1 : scale;
  if (!convert_elements(batch.get(), factor, out.get())) throw refuse("");
  return out;
}

void append_number(const percale_tensor* tensor, int64_t at, std::string& out) {
  char text[32];
  const auto write = [&](auto value) { out.append(text, std::to_chars(text, text + sizeof text, value).ptr); };
  const void* data = percale_tensor_get_data(tensor);
  switch (percale_tensor_dtype(tensor)) {
    case PERCALE_DTYPE_F32: write(static_cast<const float*>(data)[at]); break;
    case PERCALE_DTYPE_F64: write(static_cast<const double*>(data)[at]); break;
    case PERCALE_DTYPE_I64: write(static_cast<const int64_t*>(data)[at]); break;
    case PERCALE_DTYPE_I32: write(static_cast<const int32_t*>(data)[at]); break;
    case PERCALE_DTYPE_U8: write(static_cast<const uint8_t*>(data)[at]); break;
    case PERCALE_DTYPE_BOOL: out += static_cast<const uint8_t*>(data)[at] != 0 ? "1" : "0"; break;
    default:
      throw Failure{"predictions of dtype " + dtype_name(percale_tensor_dtype(tensor)) + " cannot be written as CSV"};
  }
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.empty()) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// The meaning of a classifier's numbers.
struct Classes {
  bool known = false;              // the labels were classes
  std::vector<std::string> words;  // empty: the labels were numbers
};

Classes classes_of(const Model& model) {
  Classes out;
  const Json label = trained_rules(model)["inputs"]["y"];
  out.known = label["column"].given() && label["type"].text() != "number";
  for (const Json& word : label["words"].items()) out.words.push_back(word.text());
  return out;
}

// Standard output, or a file that appears when it is complete.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path) {
    if (path.empty()) return;
    part_ = path + ".tmp-" + std::to_string(process_id());
    file_ = open_file(part_, "wx");
    if (file_ == nullptr) fail();
  }
  ~Output() {
    if (file_ == stdout) return;
    std::fclose(file_);
    if (!done_) remove_file(part_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string text) {
    if (file_ == stdout) text = shown(text, 1);
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void finish() {
    if (std::fflush(file_) != 0) fail();
    if (file_ == stdout) return;
    if (!rename_file(part_, path_)) fail();
    done_ = true;
  }

 private:
  [[noreturn]] void fail() const {
    throw Failure{(path_.empty() ? "standard output" : path_) + ": cannot be written: " + std::strerror(errno)};
  }

  std::string path_, part_;
  std::FILE* file_ = stdout;
  bool done_ = false;
};

// Writes outputs row by row, after a line with the names of the columns.
class Writer {
 public:
  Writer(const Model& model, Output& out) : classes_(classes_of(model)), out_(out) {
    for (const Value& output : model.outputs) names_.push_back(output.name);
  }

  void write(const std::vector<Tensor>& outputs, int64_t rows) {
    std::string text;
    if (!begun_) header(outputs, text);
    begun_ = true;
    for (int64_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < outputs.size(); ++i) {
        const int64_t width = width_of(outputs[i].get(), i);
        const int64_t first = row * width;
        if (i > 0) text += ',';
        if (is_classifier(i, width)) text += best(outputs[i].get(), first, width) + ",";
        for (int64_t k = 0; k < width; ++k) {
          if (k > 0) text += ',';
          append_number(outputs[i].get(), first + k, text);
        }
      }
      text += '\n';
    }
    out_.write(std::move(text));
  }

 private:
  // Returns the count of numbers in a row.
  int64_t width_of(const percale_tensor* output, size_t i) const {
    if (percale_tensor_rank(output) == 0) throw Failure{"output '" + names_[i] + "' is a scalar and has no rows"};
    const int64_t rows = percale_tensor_get_dims(output)[0];
    return rows == 0 ? 0 : percale_tensor_element_count(output) / rows;
  }
  bool is_classifier(size_t i, int64_t width) const {
    return i == 0 && names_.size() == 1 && classes_.known && width > 1 &&
           (classes_.words.empty() || classes_.words.size() == static_cast<size_t>(width));
  }

  void header(const std::vector<Tensor>& outputs, std::string& text) const {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int64_t width = width_of(outputs[i].get(), i);
      if (i > 0) text += ',';
      const bool classifier = is_classifier(i, width);
      if (classifier) text += "prediction,";
      for (int64_t k = 0; k < width; ++k) {
        if (k > 0) text += ',';
        const bool words = classifier && !classes_.words.empty();
        text += csv_text(words        ? classes_.words[static_cast<size_t>(k)]
                         : width == 1 ? names_[i]
                                      : names_[i] + "." + std::to_string(k));
      }
    }
    text += '\n';
  }

  // Returns the class of the largest number.
  std::string best(const percale_tensor* output, int64_t first, int64_t width) const {
    int64_t found = 0;
    const auto look = [&](const auto* data) {
      found = std::max_element(data + first, data + first + width) - (data + first);
    };
    const void* data = percale_tensor_get_data(output);
    if (percale_tensor_dtype(output) == PERCALE_DTYPE_F64) {
      look(static_cast<const double*>(data));
    } else if (percale_tensor_dtype(output) == PERCALE_DTYPE_F32) {
      look(static_cast<const float*>(data));
    } else {
      throw Failure{"output '" + names_[0] + "' is " + dtype_name(percale_tensor_dtype(output)) +
                    ", wanted scores in f32 or f64"};
    }
    return classes_.words.empty() ? std::to_string(found) : csv_text(classes_.words[static_cast<size_t>(found)]);
  }

  std::vector<std::string> names_;
  Classes classes_;
  Output& out_;
  bool begun_ = false;
};

// Returns the number of rows that the model is made for; 0: any.
int64_t rows_of(const Model& model) {
  for (const Value& input : model.inputs) {
    if (!input.dims.empty() && input.dims[0] > 0) return input.dims[0];
  }
  return 0;
}

double number_flag(const Args& args, std::string_view flag, double fallback) {
  if (!args.has(flag)) return fallback;
  const std::string text = args.get(flag);
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError{std::string(flag) + ": '" + text + "' is not a number"};
  }
  return out;
}

int run_predict(const Args& args) {
  if (args.json() && !args.has("--out"))
    throw UsageError{"--json requires --out FILE.csv, because the predictions are CSV"};
  const double scale = number_flag(args, "--scale", 1);
  Setup setup(args);
  setup.make_engine();
  const Model model(setup, args.positional()[0]);
  const Session session = make_session(setup, model);
  const Dataset data = open_data(setup, model, args);
  const int64_t fixed = rows_of(model), batch = args.integer("--batch", fixed > 0 ? fixed : kRowsAtOnce, 1);
  if (fixed > 0 && batch > fixed) {
    throw UsageError{"--batch: the model requires batches of " + std::to_string(fixed) + " rows"};
  }
  check(percale_dataset_configure(data.get(), batch, -1, 0));
  const std::string path = args.get("--out");
  Output out(path);
  Writer writer(model, out);
  const int64_t rows = percale_dataset_rows(data.get());
  const std::vector<const char*> feeds = names_of(model.inputs), fetches = names_of(model.outputs);
  for (int64_t done = 0; done < rows; done += batch) {
    std::vector<percale_tensor*> next(model.inputs.size()), results(fetches.size());
    check(percale_dataset_next(data.get(), next.data()));
    std::vector<Tensor> fed;
    for (percale_tensor* tensor : next) fed.emplace_back(tensor);
    for (size_t i = 0; i < fed.size(); ++i) fed[i] = fitted(setup, std::move(fed[i]), model.inputs[i], scale);
    check(percale_session_run(session.get(), feeds.data(), pointers(fed).data(), fed.size(), fetches.data(),
                              fetches.size(), nullptr, 0, PERCALE_FOREVER, results.data()));
    std::vector<Tensor> outputs;
    for (percale_tensor* result : results) outputs.emplace_back(result);
    writer.write(outputs, std::min(batch, rows - done));
  }
  out.finish();
  if (args.json()) {
    std::printf("{\"rows\":%lld,\"file\":%s}\n", static_cast<long long>(rows), json_string(path).c_str());
  } else if (!path.empty()) {
    say_note("wrote " + std::to_string(rows) + " rows to " + path);
  }
  return 0;
}

}  // namespace

extern const Command kPredict = {
    "predict",
    "MODEL [DATA] [--input NAME=FILE...] [--out FILE.csv]",
    "Computes the outputs of a model for the rows of a data file and writes them as CSV.\nDATA is .csv, .tsv, .npy, "
    ".npz, .safetensors or IDX. CSV files are read as the training data was:\na model written by `percale train` "
    "stores its columns, their categories and the replacements for\nmissing values. If a model has one output and its "
    "labels were classes in a CSV file, the class with\nthe largest score is written first, in the column "
    "`prediction`.",
    kPredictFlags,
    run_predict,
    1,
    2};

}  // namespace percale_cli

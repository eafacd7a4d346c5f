#include "job.h"

#include <cstdio>

#include "system/system.h"

namespace percale_cli {
namespace {

// Returns the devices that the SPEC names, for the engine: those that compute, then those that
// store parameters. Returns "" if the SPEC names none that compute, or is not valid JSON; the
// library then reports the error.
std::string spec_devices(const Json& spec) {
  const Json devices = spec["devices"];
  std::string out;
  for (const Json& device : devices.items()) out += (out.empty() ? "" : ",") + device.text();
  if (devices.given() && out.empty()) out = devices.text();
  const Json ps = spec["parameters"]["ps"];
  std::string more = out.empty() || out == "all" || !ps.given() ? std::string() : ps.text() + ",";
  for (size_t end = more.find(','); end != std::string::npos; end = more.find(',')) {
    const std::string name = more.substr(0, end);
    more.erase(0, end + 1);
    if (!name.empty() && ("," + out + ",").find("," + name + ",") == std::string::npos) out += "," + name;
  }
  return out;
}

// Rejects a file that is clearly not JSON: a JSON syntax error in another kind of file helps no
// user.
void check_is_spec(const std::string& path, const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && text[begin] == '{') return;
  const bool model = path.ends_with(".onnx") || path.ends_with(".percale");
  throw Failure{path + ": this is not a SPEC, which is a JSON object" +
                    (model ? "; to train this model, write a SPEC with the key \"model\": " + json_string(path) : ""),
                PERCALE_INVALID_ARGUMENT};
}

std::string parent_of(const std::string& path) {
  const std::filesystem::path folder = path_of(path).parent_path();
  return folder.empty() ? "." : text_of(folder);
}

}  // namespace

Job::Job(Setup& setup, const Args& args, const std::string& path) {
  const std::string text = read_file(path);
  check_is_spec(path, text);
  spec = Json::parse(text);
  // --devices on the command line applies to the engine and to the trainer.
  if (args.has("--devices")) check(percale_options_set(setup.trainer_options.get(), "devices", "all"));
  if (const std::string devices = spec_devices(spec); !args.has("--devices") && !devices.empty()) {
    check(percale_options_set(setup.engine_options.get(), "devices", devices.c_str()));
  }
  setup.make_engine();
  percale_trainer* made = nullptr;
  check(percale_trainer_from_spec(setup.engine.get(), text.data(), text.size(), parent_of(path).c_str(),
                                  args.get("--data").c_str(), setup.trainer_options.get(), &made),
        path);
  trainer.reset(made);
  percale_variables* table = nullptr;
  check(percale_trainer_variables(made, &table));
  variables.reset(table);
}

void print_numbers(std::string_view title, const Json& numbers) {
  std::string line(title);
  for (const auto& [name, value] : numbers.members()) {
    char number[64];
    std::snprintf(number, sizeof number, "%.6g", value.number());
    line += "  " + name + " " + number;
  }
  std::printf("%s%s%s\n", std::string(bold(1)).c_str(), shown(line, 1).c_str(), std::string(plain(1)).c_str());
}

}  // namespace percale_cli

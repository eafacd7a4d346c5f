#include <cstdio>

#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

std::string full_name(const Json& op) {
  const std::string domain = op["domain"].text();
  return domain.empty() ? op["name"].text() : domain + ":" + op["name"].text();
}

// Returns "T: f32 f64". A plug-in's op may leave the types open, or name only the group.
std::string types_text(const Json& value) {
  std::string out, group = value["group"].text();
  for (const Json& type : value["types"].items()) out += (out.empty() ? "" : " ") + type.text();
  if (group.empty()) return out.empty() ? "any type" : out;
  return out.empty() ? group : group + ": " + out;
}

void print_operands(const char* title, const Json& values) {
  for (const Json& value : values.items()) {
    print(stdout, "  %-8s %-14s %s%s%s\n", title, value["name"].text().c_str(), types_text(value).c_str(),
          value["optional"].flag() ? "  (optional)" : "", value["variadic"].flag() ? "  (any number)" : "");
  }
}

void print_op(const Json& op) {
  print(stdout, "%s, since %s\n  %s\n", full_name(op).c_str(), op["since"].text().c_str(), op["doc"].text().c_str());
  print_operands("input", op["inputs"]);
  for (const Json& attribute : op["attributes"].items()) {
    print(stdout, "  %-8s %-14s %s%s\n", "attr", attribute["name"].text().c_str(), attribute["kind"].text().c_str(),
          attribute["required"].flag()     ? "  (required)"
          : attribute["default"].present() ? ("  default " + attribute["default"].text()).c_str()
                                           : "  (optional)");
  }
  print_operands("output", op["outputs"]);
  std::string devices;
  for (const Json& device : op["devices"].items()) devices += (devices.empty() ? "" : ", ") + device.text();
  print(stdout, "  gradient %s; devices %s\n", op["gradient"].text().c_str(),
        devices.empty() ? op["composite"].flag() ? "all, composed of other ops" : "none" : devices.c_str());
}

int run_ops(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  percale_text* text = nullptr;
  check(percale_engine_describe(setup.engine.get(), "ops", &text));
  const std::string json = take_text(text);
  const std::string wanted = args.positional().empty() ? "" : args.positional()[0];
  if (args.json() && wanted.empty()) {
    std::puts(json.c_str());
    return 0;
  }
  size_t found = 0;
  std::string matches;
  std::vector<std::string> names;
  for (const Json& op : Json::parse(json).items()) {
    names.push_back(op["name"].text());
    if (wanted.empty()) {
      print(stdout, "%-36s %s\n", full_name(op).c_str(), op["doc"].text().c_str());
    } else if (op["name"].text() == wanted || full_name(op) == wanted) {
      if (args.json()) {
        matches += (found == 0 ? "" : ",") + op.text();
      } else {
        print_op(op);
      }
      ++found;
    }
  }
  if (!wanted.empty() && found == 0)
    throw Failure{"there is no op '" + wanted + "'" + did_you_mean(wanted, names), PERCALE_NOT_FOUND};
  if (args.json()) std::printf("[%s]\n", matches.c_str());
  return 0;
}

}  // namespace

extern const Command kOps = {"ops", "[NAME]", "Shows schemas and documentation of the ops.", {}, run_ops, 0, 1};

}  // namespace percale_cli

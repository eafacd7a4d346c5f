#include <cstdio>

#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

void line(const char* name, const std::string& value) { print(stdout, "%-13s %s\n", name, value.c_str()); }

constexpr Flag kInfoFlags[] = {
    {"--target", "ADDRESS", "Shows the devices that a process serves (`percale-worker`): HOST:PORT or unix:PATH."}};

int run_info(const Args& args) {
  Setup setup(args);
  if (args.has("--target")) {
    const std::string devices = "remote:" + args.get("--target");
    check_setting(percale_options_set(setup.engine_options.get(), "devices", devices.c_str()), "--target");
  }
  setup.make_engine();
  percale_text* text = nullptr;
  check(percale_engine_describe(setup.engine.get(), "info", &text));
  const std::string json = take_text(text);
  if (args.json()) {
    std::puts(json.c_str());
    return 0;
  }
  const Json info = Json::parse(json);
  line("version", info["version"].text() + " (ABI " + info["abi"].text() + ")");
  line("fingerprint", info["fingerprint"].text());
  line("threads", info["threads"].text());
  line("kernels", "isa " + info["isa"].text() + ", " + info["ops"].text() + " ops");
  for (const Json& device : info["devices"].items())
    line("device", device["name"].text() + "  " + device["model"].text());
  for (const Json& absent : info["absent"].items()) {
    line("absent", absent["kind"].text() + ": " + absent["reason"].text());
  }
  bool onednn = false;
  for (const Json& plugin : info["plugins"].items()) {
    const std::string why = plugin["absent"].text(), unused = plugin["unused_kernels"].text();
    onednn = onednn || (why.empty() && plugin["name"].text() == "onednn");
    line("plug-in", plugin["name"].text() + " " + plugin["version"].text() + "  " + plugin["path"].text() +
                        (why.empty() ? "" : "  absent: " + why) +
                        (unused.empty() ? "" : "  kernels not used: " + unused));
  }
  if (!onednn)
    line("absent",
         "oneDNN kernels: the plug-in libpercale_onednn.so was not found; the library's own kernels are used");
  const int64_t limit = info["memory"]["limit"].integer();
  line("memory limit", limit == 0 ? "none" : std::to_string(limit) + " bytes");
  return 0;
}

}  // namespace

extern const Command kInfo = {
    "info", "[flags]", "Shows versions, instruction set, threads, devices and plug-ins.", kInfoFlags, run_info, 0, 0};

}  // namespace percale_cli

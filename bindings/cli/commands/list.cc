#include <algorithm>
#include <cstdio>

#include "api.h"
#include "commands.h"
#include "help.h"

namespace percale_cli {
namespace {

struct Topic {
  std::string_view name, doc;
  // True for a kind of percale_options_describe(), false for a topic of percale_engine_describe().
  bool options;
};
constexpr Topic kTopics[] = {{"spec", "Keys of a SPEC, a training job as JSON.", false},
                             {"layers", "Layers for the model of a SPEC.", false},
                             {"losses", "Losses for a SPEC or a trainer.", false},
                             {"metrics", "Metrics for a SPEC or a trainer.", false},
                             {"optimizers", "Optimizers for a SPEC or a trainer.", false},
                             {"schedules", "Learning rate schedules.", false},
                             {"engine", "Options of engines.", true},
                             {"session", "Options of sessions.", true},
                             {"trainer", "Options of trainers.", true},
                             {"export", "Options of exports.", true}};

void print_keys(const std::vector<Json>& keys, std::string_view name_of, size_t indent) {
  for (const Json& key : keys) {
    std::printf("%*s%s%s%s  %s\n", static_cast<int>(indent), "", std::string(bold(1)).c_str(),
                key[name_of].text().c_str(), std::string(plain(1)).c_str(), facts_text(key).c_str());
    std::fputs(wrapped(key["doc"].text(), indent + 4).c_str(), stdout);
    print_keys(key["keys"].items(), name_of, indent + 4);
  }
}

// The entries of a topic: keys, options, or names that have keys.
struct Entries {
  std::vector<Json> all;
  std::string_view name_of = "name";  // the member that holds an entry's name
  std::string_view keys_of = "keys";  // the member that holds its keys
  bool are_keys = false;
};

Entries entries_of(const Topic& topic, const Setup& setup) {
  if (topic.options) {
    Entries out{.all = {}, .name_of = "key", .are_keys = true};
    for (const Json& option : option_table().items()) {
      if (option["kind"].text() == topic.name) out.all.push_back(option);
    }
    return out;
  }
  percale_text* text = nullptr;
  check(percale_engine_describe(setup.engine.get(), std::string(topic.name).c_str(), &text));
  return {.all = Json::parse(take_text(text)).items(),
          .keys_of = topic.name == "layers" ? "attributes" : "keys",
          .are_keys = topic.name == "spec"};
}

const Topic& find_topic(const std::string& name) {
  std::vector<std::string> names;
  for (const Topic& topic : kTopics) {
    if (topic.name == name) return topic;
    names.emplace_back(topic.name);
  }
  throw UsageError{"there is no list '" + name + "'" + did_you_mean(name, names)};
}

void print_topics() {
  for (const Topic& topic : kTopics) {
    std::printf("%-12s %s\n", std::string(topic.name).c_str(), std::string(topic.doc).c_str());
  }
  std::puts(
      "\n`percale list TOPIC` prints one list, `percale list TOPIC NAME` describes one entry. `percale ops` lists the "
      "ops.");
}

void print_json(const std::vector<Json>& values) {
  std::string out;
  for (const Json& value : values) out += (out.empty() ? "" : ",") + value.text();
  std::printf("[%s]\n", out.c_str());
}

void print_all(const Topic& topic, const Entries& entries) {
  if (entries.are_keys) return print_keys(entries.all, entries.name_of, 0);
  size_t width = 0;
  for (const Json& entry : entries.all) width = std::max(width, entry["name"].text().size());
  for (const Json& entry : entries.all) {
    std::printf("%-*s  %s\n", static_cast<int>(width), entry["name"].text().c_str(), entry["doc"].text().c_str());
  }
  std::printf("\n`percale list %s NAME` describes its keys.\n", std::string(topic.name).c_str());
}

void print_one(const Json& entry, const Entries& entries) {
  if (entries.are_keys) return print_keys({entry}, entries.name_of, 0);
  std::printf("%s\n", entry["name"].text().c_str());
  std::fputs(wrapped(entry["doc"].text(), 2).c_str(), stdout);
  print_keys(entry[entries.keys_of].items(), "name", 2);
}

int run_list(const Args& args) {
  const auto& words = args.positional();
  if (words.empty()) {
    if (!args.json()) {
      print_topics();
      return 0;
    }
    std::string names;
    for (const Topic& topic : kTopics) names += (names.empty() ? "" : ",") + json_string(topic.name);
    std::printf("[%s]\n", names.c_str());
    return 0;
  }
  const Topic& topic = find_topic(words[0]);
  Setup setup(args);
  setup.make_engine();
  const Entries entries = entries_of(topic, setup);
  if (words.size() == 1) {
    args.json() ? print_json(entries.all) : print_all(topic, entries);
    return 0;
  }
  std::vector<std::string> names;
  for (const Json& entry : entries.all) {
    const std::string name = entry[entries.name_of].text();
    if (name == words[1]) {
      args.json() ? print_json({entry}) : print_one(entry, entries);
      return 0;
    }
    names.push_back(name);
  }
  throw Failure{"the list of " + words[0] + " has no '" + words[1] + "'" + did_you_mean(words[1], names),
                PERCALE_NOT_FOUND};
}

}  // namespace

extern const Command kList = {
    "list",
    "[TOPIC [NAME]]",
    "Lists the keys and values of SPECs and options, with types, defaults and meanings.",
    {},
    run_list,
    0,
    2,
    "Topics: spec, layers, losses, metrics, optimizers, schedules; options of engine, session, trainer, export."};

}  // namespace percale_cli

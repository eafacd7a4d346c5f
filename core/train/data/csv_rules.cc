#include "core/train/data/csv_rules.h"

#include <algorithm>
#include <cmath>

namespace percale {
namespace {

// The dialect as JSON has it, for the key table.
struct RulesText {
  std::string separator;
  std::optional<bool> header;
};

constexpr Key<RulesText> kRules[] = {
    {.name = "separator",
     .value = &RulesText::separator,
     .doc = "Character between two fields.",
     .fallback = "a tab in .tsv files, a comma elsewhere"},
    {.name = "header",
     .value = &RulesText::header,
     .doc = "Whether the first row holds the column names.",
     .fallback = "true if no field of the first row is a number"},
    {.name = "missing",
     .value = ByHand{"text or float"},
     .doc = "Replacement for a missing value: error, nan, mean, or a number.",
     .fallback = "error"},
    {.name = "columns",
     .value = ByHand{"object"},
     .doc = "Rules for individual columns of the files, by name.",
     .fallback = "none"},
    {.name = "inputs",
     .value = ByHand{"object"},
     .doc = "For each column of the data set, the file columns that it consists of, with their rules.",
     .fallback = "selected by name"}};

constexpr Key<CsvColumn> kColumn[] = {
    {.name = "type",
     .value = &CsvColumn::type,
     .doc = "Type of the fields. auto: numbers if all fields are numbers, categories if none is.",
     .choices = "auto|number|integer|category"},
    {.name = "missing",
     .value = ByHand{"text or float"},
     .doc = "Replacement for a missing value in this column.",
     .fallback = "as for all columns"},
    {.name = "words",
     .value = ByHand{"list"},
     .doc = "The categories, in the order of their numbers from 0.",
     .fallback = "the categories in the file, sorted by bytes"}};

Result<CsvMissing> parse_missing(const Json& json) {
  CsvMissing out;
  if (!json.is_string()) {
    out.kind = CsvMissing::Kind::kNumber;
    PERCALE_ASSIGN_OR_RETURN(out.number, json.as_double("missing"));
    return out;
  }
  PERCALE_ASSIGN_OR_RETURN(const std::string word, json.as_string("missing"));
  if (word == "nan") {
    out.kind = CsvMissing::Kind::kNan;
  } else if (word == "mean") {
    out.kind = CsvMissing::Kind::kMean;
  } else if (word != "error") {
    return json.error("missing", "it is '", word, "', wanted error, nan, mean or a number");
  }
  return out;
}

// `own` is the key that holds the column's name; "" if the name is given elsewhere.
Result<CsvColumn> parse_column(const Json& json, std::string_view where, std::string_view own) {
  std::vector<std::string> known;
  add_names<CsvColumn>(kColumn, &known);
  if (!own.empty()) known.emplace_back(own);
  PERCALE_RETURN_IF_ERROR(check_known_keys(json, where, known));
  CsvColumn out;
  PERCALE_RETURN_IF_ERROR(read_members<CsvColumn>(json, where, kColumn, &out));
  if (!own.empty()) {
    const Json* name = present(json, own);
    if (name == nullptr) return json.error(where, "the key '", own, "' is missing");
    PERCALE_ASSIGN_OR_RETURN(out.name, name->as_string(own));
  }
  if (const Json* missing = present(json, "missing")) {
    PERCALE_ASSIGN_OR_RETURN(out.missing, parse_missing(*missing));
  }
  const Json* words = present(json, "words");
  if (words == nullptr) return out;
  PERCALE_RETURN_IF_ERROR(words->expect(Json::Kind::kArray, "words"));
  for (size_t i = 0; i < words->size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out.words.emplace_back(), words->item(i).as_string("words"));
  }
  std::vector<std::string> sorted = out.words;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return words->error("words", "'", *twice, "' occurs twice");
  }
  if (out.type == "auto") out.type = "category";
  if (out.type != "category")
    return words->error("words", "the column's type is ", out.type, ", but 'words' requires category");
  return out;
}

// Parses an object (a single column) or a list (columns side by side).
Result<CsvInput> parse_input(const Json& json, std::string_view name) {
  CsvInput out;
  out.alone = !json.is_array();
  if (out.alone) {
    PERCALE_ASSIGN_OR_RETURN(out.columns.emplace_back(), parse_column(json, name, "column"));
    return out;
  }
  for (size_t i = 0; i < json.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out.columns.emplace_back(), parse_column(json.item(i), name, "column"));
  }
  if (out.columns.empty()) return json.error(name, "the list is empty");
  return out;
}

void write_missing(const CsvMissing& missing, JsonWriter& json) {
  switch (missing.kind) {
    case CsvMissing::Kind::kError: json.value("error"); break;
    case CsvMissing::Kind::kNan: json.value("nan"); break;
    case CsvMissing::Kind::kMean: json.value("mean"); break;
    case CsvMissing::Kind::kNumber: json.value(missing.number); break;
  }
}

void write_column(const CsvColumn& column, std::string_view own, JsonWriter& json) {
  json.begin_object();
  if (!own.empty()) json.key(own).value(column.name);
  json.key("type").value(column.type);
  if (column.missing) write_missing(*column.missing, json.key("missing"));
  if (!column.words.empty()) {
    json.key("words").begin_array();
    for (const std::string& word : column.words) json.value(word);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

bool CsvMissing::fits_integers() const {
  constexpr double kMost = 9007199254740992;  // 2^53: every whole number up to it is a double
  if (kind != Kind::kNumber) return kind == Kind::kError;
  return number == std::trunc(number) && std::abs(number) <= kMost;
}

CsvColumn CsvRules::rule(std::string_view input, std::string_view column) const {
  const auto named = [&](const CsvColumn& c) { return c.name == column; };
  const auto own = inputs.find(std::string(input));
  CsvColumn out;
  out.name = column;
  if (own != inputs.end()) {
    const auto found = std::find_if(own->second.columns.begin(), own->second.columns.end(), named);
    if (found != own->second.columns.end()) out = *found;
  }
  if (out.type == "auto") {
    if (const auto found = std::find_if(columns.begin(), columns.end(), named); found != columns.end()) out = *found;
  }
  if (!out.missing) out.missing = missing;
  return out;
}

Result<CsvRules> parse_csv_rules(const Json& json, std::string_view where) {
  CsvRules out;
  RulesText text;
  PERCALE_RETURN_IF_ERROR(read_object<RulesText>(json, where, kRules, &text));
  if (text.separator.size() > 1 || text.separator == "\"" || text.separator == "\n" || text.separator == "\r") {
    return json.find("separator")->error("separator", "it is '", text.separator, "', wanted one character");
  }
  if (!text.separator.empty()) out.dialect.separator = text.separator[0];
  out.dialect.header = text.header;
  if (const Json* missing = present(json, "missing")) {
    PERCALE_ASSIGN_OR_RETURN(out.missing, parse_missing(*missing));
  }
  if (const Json* columns = present(json, "columns")) {
    PERCALE_RETURN_IF_ERROR(columns->expect(Json::Kind::kObject, "columns"));
    for (size_t i = 0; i < columns->size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(CsvColumn column, parse_column(columns->item(i), columns->key(i), ""));
      column.name = columns->key(i);
      out.columns.push_back(std::move(column));
    }
  }
  if (const Json* inputs = present(json, "inputs")) {
    PERCALE_RETURN_IF_ERROR(inputs->expect(Json::Kind::kObject, "inputs"));
    for (size_t i = 0; i < inputs->size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(out.inputs[inputs->key(i)], parse_input(inputs->item(i), inputs->key(i)));
    }
  }
  return out;
}

Result<CsvRules> parse_csv_rules(std::string_view json) {
  const auto parsed = Json::parse(json);
  if (!parsed.ok()) return parsed.status().with_context("csv");
  auto rules = parse_csv_rules(*parsed, "csv");
  if (!rules.ok()) return rules.status().with_context("csv");
  return rules;
}

std::string csv_rules_json(const CsvRules& rules) {
  JsonWriter json;
  json.begin_object();
  if (rules.dialect.separator != '\0') json.key("separator").value(std::string(1, rules.dialect.separator));
  if (rules.dialect.header) json.key("header").value(*rules.dialect.header);
  if (rules.missing.kind != CsvMissing::Kind::kError) write_missing(rules.missing, json.key("missing"));
  if (!rules.columns.empty()) {
    json.key("columns").begin_object();
    for (const CsvColumn& column : rules.columns) write_column(column, "", json.key(column.name));
    json.end_object();
  }
  if (!rules.inputs.empty()) {
    json.key("inputs").begin_object();
    for (const auto& [name, input] : rules.inputs) {
      json.key(name);
      if (!input.alone) json.begin_array();
      for (const CsvColumn& column : input.columns) write_column(column, "column", json);
      if (!input.alone) json.end_array();
    }
    json.end_object();
  }
  return json.end_object().text();
}

std::vector<KeyFacts> csv_rules_facts() {
  std::vector<KeyFacts> out = key_facts<RulesText>(kRules);
  for (KeyFacts& key : out) {
    if (key.name == "columns" || key.name == "inputs") key.keys = key_facts<CsvColumn>(kColumn);
  }
  return out;
}

}  // namespace percale

// CSV files as columns of data sets: c_api/SPEC.md, "CSV files".
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <system_error>

#include "core/checkpoint/npy.h"
#include "core/file/file.h"
#include "core/train/data/csv_rules.h"
#include "core/train/data/data_columns.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

using Floats = std::vector<float>;
using Whole = std::vector<int64_t>;

const std::shared_ptr<MemoryPool>& pool() {
  static const auto kPool = std::make_shared<MemoryPool>();
  return kPool;
}

// Writes files into a folder of the test.
class Files {
 public:
  std::string write(const std::string& name, std::string_view text) {
    REQUIRE_OK(write_file(folder_ / name, text));
    return folder_ / name;
  }

 private:
  TempFolder folder_;
};

Result<std::shared_ptr<Dataset>> open(const std::vector<std::pair<std::string, std::string>>& columns,
                                      std::string_view rules = "{}") {
  std::vector<std::string> names, paths;
  for (const auto& [name, path] : columns) names.push_back(name), paths.push_back(path);
  PERCALE_ASSIGN_OR_RETURN(const CsvRules parsed, parse_csv_rules(rules));
  return Dataset::from_files(names, paths, 1, parsed, pool());
}

// Returns all rows of a column.
template <class T>
std::vector<T> rows_of(const Result<std::shared_ptr<Dataset>>& set, size_t column = 0) {
  REQUIRE_MESSAGE(set.ok(), set.status().to_string());
  REQUIRE_OK((*set)->configure({.batch_size = (*set)->rows()}));
  const auto batch = (*set)->batch({0, 0});
  REQUIRE_MESSAGE(batch.ok(), batch.status().to_string());
  const auto values = (*batch)[column].span<T>();
  return {values.begin(), values.end()};
}

std::string message_of(const Result<std::shared_ptr<Dataset>>& set) {
  REQUIRE_FALSE(set.ok());
  return std::string(set.status().message());
}

// Returns a zip archive with one stored member.
std::string zip(std::string_view name, std::string_view data) {
  std::string out;
  const auto number = [&out](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255);
  };
  // The record of the member, at its data or in the directory at the end.
  const auto member = [&](uint64_t mark, bool in_directory) {
    number(mark, 4);
    if (in_directory) number(20, 2);  // version of the writer
    number(20, 2);                    // version for reading
    number(0, 8);                     // flags, method, time, date
    number(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()), 4);
    number(data.size(), 4);
    number(data.size(), 4);
    number(name.size(), 2);
    number(0, 2);                            // further fields
    if (in_directory) out.append(14, '\0');  // comment, disk, attributes, offset
    out += name;
  };
  member(0x04034b50, false);
  out += data;
  const size_t directory = out.size();
  member(0x02014b50, true);
  const size_t size = out.size() - directory;
  number(0x06054b50, 4);
  number(0, 4);
  number(1, 2);
  number(1, 2);
  number(size, 4);
  number(directory, 4);
  number(0, 2);
  return out;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("rows come in any order, between empty lines, with a byte order mark, quotes and CR") {
  Files files;
  std::string text =
      "\xef\xbb\xbf"
      "a, \"b,c\" ,y\r\n";
  for (int i = 0; i < 200; ++i) text += str_cat(i, ", ", i, ".5e0 ,\"", i % 3, "\"\r\n", i % 50 == 0 ? "\n" : "");
  const std::string path = files.write("t.csv", text);
  const auto set = load_columns(
      {{"x", {path}, DType::kF64}, {"y", {path}, DType::kI64}}, {},
      [](const std::string& p) -> Result<std::string> { return p; }, pool());
  REQUIRE_MESSAGE(set.ok(), set.status().to_string());
  REQUIRE_OK((*set)->configure({.batch_size = 7, .shuffle_seed = 1}));
  const auto order = shuffled_rows(200, 1, 3);
  for (int64_t i = 0; i < (*set)->batches(); ++i) {
    const auto batch = (*set)->batch({3, i});
    REQUIRE_MESSAGE(batch.ok(), batch.status().to_string());
    const int64_t rows = (*batch)[0].shape()[0];
    CHECK((*batch)[0].shape() == Shape{rows, 2});
    CHECK((*batch)[1].shape() == Shape{rows});
    for (int64_t r = 0; r < rows; ++r) {
      const auto row = static_cast<double>(order[static_cast<size_t>(7 * i + r)]);
      CHECK((*batch)[0].span<double>()[static_cast<size_t>(2 * r)] == row);
      CHECK((*batch)[0].span<double>()[static_cast<size_t>(2 * r + 1)] == row + 0.5);
      CHECK((*batch)[1].span<int64_t>()[static_cast<size_t>(r)] == order[static_cast<size_t>(7 * i + r)] % 3);
    }
  }
  CHECK(rows_of<float>(open({{"z", path + "#\"b,c\""}})).at(3) == 3.5F);
  CHECK(open({{"z", path + "#a,d"}}).status().code() == Code::kNotFound);
}

TEST_CASE("the whole file decides what a column holds") {
  Files files;
  std::string text = "n,v\n";
  for (int i = 0; i < 1500; ++i) text += str_cat(i, ",", i, "\n");
  const std::string whole = files.write("whole.csv", text);
  const std::string late = files.write("late.csv", text + "1500,0.5\n");
  CHECK(rows_of<int64_t>(open({{"v", whole}})).at(7) == 7);
  CHECK(rows_of<float>(open({{"v", late}})).back() == 0.5F);
  CHECK(
      message_of(open({{"v", files.write("typo.csv", text + "1500,1O\n")}})) ==
      str_cat(
          "'", files.write("typo.csv", text + "1500,1O\n"),
          "', line 1502, column 'v': '1O' is not a number, but other fields of the column are: correct it, or give the "
          "column the type \"category\" (if line 1 is a header: \"header\": true)"));
  CHECK(rows_of<float>(open({{"v", whole}}, R"({"columns": {"v": {"type": "number"}}})")).at(7) == 7);
  CHECK(message_of(open({{"v", late}}, R"({"columns": {"v": {"type": "integer"}}})")).find("line 1502") !=
        std::string::npos);
}

TEST_CASE("one column gives scalars, whatever it is called, and a comma behind its name rows of one number") {
  Files files;
  const std::string path = files.write("t.csv", "x,a,b\n1,2,3\n4,5,6\n");
  for (const char* name : {"x", "a"}) {
    CHECK((*open({{name, path}}))->types()[0].shape == Shape{kUnknownDim});
    CHECK((*open({{name, path + "#b"}}))->types()[0].shape == Shape{kUnknownDim});
    CHECK((*open({{name, path + "#b,"}}))->types()[0].shape == Shape{kUnknownDim, 1});
  }
  CHECK(rows_of<float>(open({{"x", path + "#b,"}})) == Floats{3, 6});
  const std::string others = files.write("others.csv", "p,q,r\n1,2,3\n4,5,6\n");
  CHECK(rows_of<float>(open({{"x", others}, {"y", others}})) == Floats{1, 2, 4, 5});
  CHECK(rows_of<int64_t>(open({{"x", others}, {"y", others}}), 1) == Whole{3, 6});
}

TEST_CASE("numbers as C reads them: tiny ones are 0, huge ones infinite, wholes may be written with a point") {
  Files files;
  const auto numbers = rows_of<float>(open({{"v", files.write("n.csv", "1e-50\n1e39\n-1e400\n+.5\n1e-400\n0.25\n")}}));
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(numbers == Floats{0, infinity, -infinity, 0.5F, 0, 0.25F});
  CHECK(rows_of<int64_t>(open({{"v", files.write("w.csv", "v\n1.0\n2e3\n-7\n")}})) == Whole{1, 2000, -7});
}

TEST_CASE("a first row without a number is a header, unless the rules say otherwise") {
  Files files;
  const std::string years = files.write("years.csv", "2019,2020\n1,2\n");
  CHECK(rows_of<float>(open({{"v", years}})) == Floats{2019, 2020, 1, 2});
  CHECK(rows_of<float>(open({{"v", years}}, R"({"header": true})")) == Floats{1, 2});
  const std::string words = files.write("words.csv", "red\nblue\nred\n");
  CHECK(rows_of<int64_t>(open({{"v", words}})) == Whole{0, 1});
  CHECK(rows_of<int64_t>(open({{"v", words}}, R"({"header": false})")) == Whole{1, 0, 1});
  CHECK(message_of(open({{"v", files.write("only.csv", "a,b\n\n")}})).find("no row below the header") !=
        std::string::npos);
}

TEST_CASE("missing values: an error by default, else NaN, the mean, or a number") {
  Files files;
  const std::string path = files.write("m.csv", "a,b\n1,2\n,NA\n\n4,\"6\"\nn/a,null\n");
  CHECK(message_of(open({{"v", path + "#a,b"}})) ==
        str_cat("'", path,
                "', line 3, column 'a': the value is missing: fill it in, or choose a replacement: \"missing\": "
                "\"mean\", \"nan\" or a number"));
  CHECK(rows_of<float>(open({{"v", path + "#a,b"}}, R"({"missing": "mean"})")) == Floats{1, 2, 2.5F, 4, 4, 6, 2.5F, 4});
  CHECK(rows_of<float>(open({{"v", path + "#a,b"}}, R"({"missing": -1, "columns": {"b": {"missing": 0.5}}})")) ==
        Floats{1, 2, -1, 0.5F, 4, 6, -1, 0.5F});
  CHECK(rows_of<int64_t>(open({{"v", path + "#b"}}, R"({"missing": -1})")) == Whole{2, -1, 6, -1});
  CHECK(std::isnan(rows_of<float>(open({{"v", path + "#b"}}, R"({"missing": "nan"})"))[1]));
  // A quoted NA is a word, not a missing value.
  CHECK(rows_of<int64_t>(open({{"v", files.write("na.csv", "v\nNB\n\"NA\"\n")}})) == Whole{1, 0});
}

TEST_CASE("text becomes categories: a number alone, ones and zeros beside other columns") {
  Files files;
  const std::string path = files.write("t.csv", "kind,size,label\nloft,1,no\nflat,2,yes\n\"h, \"\"x\"\"\",3,no\n");
  const auto set = open({{"x", path}, {"label", path}});
  CHECK(rows_of<float>(set) == Floats{0, 0, 1, 1, 1, 0, 0, 2, 0, 1, 0, 3});
  CHECK(rows_of<int64_t>(set, 1) == Whole{0, 1, 0});
  const std::string rules = csv_rules_json(*(*set)->csv_rules());
  CHECK(
      rules ==
      R"({"header":true,"inputs":{"label":{"column":"label","type":"category","missing":"error","words":["no","yes"]},)"
      R"("x":[{"column":"kind","type":"category","missing":"error","words":["flat","h, \"x\"","loft"]},)"
      R"({"column":"size","type":"integer","missing":"error"}]}})");
  CHECK(csv_rules_json(*parse_csv_rules(rules)) == rules);

  // The next file is encoded the same way, whatever the order of its columns, without labels.
  const std::string next = files.write("next.csv", "size,kind\n9,loft\n8,loft\n");
  CHECK(rows_of<float>(open({{"x", next}}, rules)) == Floats{0, 0, 1, 9, 0, 0, 1, 8});
  const auto unknown = open({{"x", files.write("other.csv", "size,kind\n9,loft\n\n8,lofft\n")}}, rules);
  REQUIRE(unknown.ok());
  CHECK((*unknown)->batch({0, 0}).status().message().find(
            "line 4, column 'kind': 'lofft' is not one of the column's 3 categories, did you mean 'loft'?") !=
        std::string_view::npos);
  CHECK(rows_of<float>(
            open({{"x", path + "#kind,size"}}, R"({"missing": 0, "columns": {"kind": {"words": ["flat"]}}})")) ==
        Floats{0, 1, 1, 2, 0, 3});
}

TEST_CASE("categories of several files have one vocabulary") {
  Files files;
  const std::string a = files.write("a.csv", "c\nred\ngreen\n"), b = files.write("b.csv", "c\nblue\nred\n");
  CHECK(rows_of<int64_t>(open({{"c", a}, {"c", b}})) == Whole{2, 1, 0, 2});
}

TEST_CASE("fields: separators, quotes over several lines, and what is wrong with its line") {
  Files files;
  CHECK(rows_of<float>(open({{"v", files.write("t.tsv", "a\tb\n1\t 2\n")}})) == Floats{1, 2});
  CHECK(rows_of<float>(open({{"v", files.write("s.CSV", "a;b\n1;2\n")}}, R"({"separator": ";"})")) == Floats{1, 2});
  const std::string semicolons = files.write("s.csv", "a;b\n1;2\n");
  CHECK(message_of(open({{"v", semicolons + "#a"}})).find("set the separator") != std::string::npos);
  const std::string quoted = files.write("q.csv", "a,b\n\"one\ntwo\",1\n\"\",2\nx\"y,3\nz,4\n");
  CHECK(rows_of<int64_t>(open({{"v", quoted + "#b"}})) == Whole{1, 2, 3, 4});
  CHECK(message_of(open({{"v", quoted + "#a"}})) ==
        str_cat("'", quoted, "', line 4, column 'a': the category is missing"));
  for (const auto& [text, wrong] : {std::pair{"a,b\n1,2\n3\n", "line 3: the row has 1 fields, but the first row has 2"},
                                    {"a,b\n1,\"2\n3,4\n", "line 2: a quote is opened but never closed"},
                                    {"a,b\n1,\"2\"3\n", "line 2: text follows a closing quote"},
                                    {"a\r1\r2\r", "line 1: a line ends with CR without LF"},
                                    {"\xff\xfe"
                                     "1\0",
                                     "is UTF-16: save it as UTF-8"},
                                    {"v\n\xe4\n\xf6\n", "text that is not valid UTF-8"},
                                    {"", "the file has no rows"}}) {
    CHECK_MESSAGE(message_of(open({{"v", files.write("bad.csv", text)}})).find(wrong) != std::string::npos, wrong);
  }
  CHECK(
      message_of(open({{"v", files.write("twice.csv", "a,a\n1,2\n") + "#a"}})).find("two columns with the name 'a'") !=
      std::string::npos);
}

TEST_CASE("compressed files, also of several members, hold the same rows") {
  Files files;
  const std::string a = gzip("v\n1\n2\n"), b = gzip("3\n");
  CHECK(rows_of<int64_t>(open({{"v", files.write("t.csv.gz", a + b)}})) == Whole{1, 2, 3});
  CHECK(message_of(open({{"v", files.write("cut.csv.gz", a.substr(0, a.size() - 9))}})).find("truncated") !=
        std::string::npos);
  CHECK(message_of(open({{"v", files.write("more.csv.gz", a + "x")}})).find("unexpected bytes follow") !=
        std::string::npos);
}

TEST_CASE("a model keeps the rules of the data that trained it, and a checkpoint is of them") {
  const auto engine = engine_of(1);
  // Each trainer has a file of its own: not every system replaces a mapped one.
  Files of_first, of_others[2];
  const auto train = [&](Files& files, std::string_view text) {
    const std::string spec = str_cat(
        R"({"model": [{"layer": "Dense", "units": 1}], "loss": "mse", "optimizer": "sgd", "epochs": 1, "data": {)",
        R"("train": {"x": "t.csv#kind,v", "y": "t.csv#y"}}})");
    const std::string path = files.write("t.csv", text);
    auto trainer = trainer_from_spec(engine, spec, parent_folder(path), "");
    REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
    return std::move(trainer).value();
  };
  auto first = train(of_first, "kind,v,y\na,1,2\nb,2,3\n");
  REQUIRE_OK(first->fit(nullptr, -1, {}));
  const auto model = first->inference_model();
  REQUIRE(model.ok());
  const auto rules = parse_csv_rules((*model)->metadata.at("percale.csv"));
  REQUIRE_MESSAGE(rules.ok(), rules.status().to_string());
  CHECK(rules->inputs.at("x").columns[0].words == std::vector<std::string>{"a", "b"});
  const TempFolder folder;
  REQUIRE_OK(first->save(folder / "run"));
  const auto other = train(of_others[0], "kind,v,y\na,1,2\nc,2,3\n")->restore(folder / "run");
  CHECK(other.message().find("data.csv.x.kind.words") != std::string_view::npos);
  CHECK(train(of_others[1], "kind,v,y\na,1,2\nb,2,3\n")->restore(folder / "run").ok());
}

TEST_CASE("a file that is cut short while it is in use is told, and matters not where it was read whole") {
  Files files;
  const auto reading = std::make_shared<MemoryPool>(0, nullptr, /*maps_files=*/false);
  std::string text = "v\n";
  for (int i = 0; i < 5000; ++i) text += str_cat(i, "\n");
  std::string idx("\0\0\x08\x01\0\0\x40\0", 8);
  idx.resize(8 + 0x4000, '\7');
  const Tensor numbers = Tensor::vector<float>(std::vector<float>(5000, 0.5F));
  std::string npy = *npy_header(numbers);
  npy.append(static_cast<const char*>(numbers.data()), static_cast<size_t>(numbers.bytes()));
  for (const auto& [name, bytes] :
       {std::pair{"t.csv", text}, {"t.idx", idx}, {"t.npy", npy}, {"t.npz", zip("v.npy", npy)}}) {
    const std::string path = files.write(name, bytes);
    auto mapped = Dataset::from_files({"v"}, {path}, 0, {}, pool());
    auto read = Dataset::from_files({"v"}, {path}, 0, {}, reading);
    REQUIRE(mapped.ok());
    REQUIRE_MESSAGE(read.ok(), read.status().to_string());
    const int64_t last = (*mapped)->batches() - 1;
    CHECK((*mapped)->batch({0, last}).ok());
    std::error_code refused;
    std::filesystem::resize_file(path, 100, refused);
    if (refused) {
      MESSAGE("this system does not truncate a mapped file");
      continue;
    }
    const Status status = (*mapped)->batch({0, last}).status();
    CHECK_MESSAGE(status.code() == Code::kDataLoss, status.to_string());
    CHECK(status.message().find(str_cat("'", path, "' had ", static_cast<uint64_t>(bytes.size()),
                                        " bytes when it was opened and now has 100")) != std::string_view::npos);
    CHECK((*read)->batch({0, last}).ok());
    // Renaming another file over it leaves the mapped one intact.
    const std::string again = files.write(name, bytes);
    auto renamed = Dataset::from_files({"v"}, {again}, 0, {}, pool());
    REQUIRE(renamed.ok());
    files.write(name, "v\n1\n");
    CHECK((*renamed)->batch({0, last}).ok());
  }
}

TEST_CASE("wrong rules are named") {
  for (const auto& [rules, wrong] :
       {std::pair{R"({"seperator": ";"})", "did you mean 'separator'"},
        {R"({"separator": ";;"})", "wanted one character"},
        {R"({"missing": "median"})", "wanted error, nan, mean or a number"},
        {R"({"columns": {"a": {"type": "text"}}})", "wanted"},
        {R"({"columns": {"a": {"words": ["x", "x"]}}})", "'x' occurs twice"},
        {R"({"columns": {"a": {"type": "number", "words": ["x"]}}})", "'words' requires category"},
        {R"({"inputs": {"x": []}})", "the list is empty"},
        {R"({"inputs": {"x": {"type": "number"}}})", "the key 'column' is missing"}}) {
    const auto parsed = parse_csv_rules(rules);
    REQUIRE_FALSE(parsed.ok());
    CHECK_MESSAGE(parsed.status().message().find(wrong) != std::string_view::npos, parsed.status().to_string());
  }
}

}  // namespace percale

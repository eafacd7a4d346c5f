// The locale of the host affects only the host's own texts, not the texts that go to and come from
// the library.
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

// Sets a locale with a decimal comma during its lifetime: an installed one, or one that localedef
// creates here.
class CommaLocale {
 public:
  CommaLocale() {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "nl_NL.UTF-8", "es_ES.UTF-8"}) {
      if (set(name)) return;
    }
    folder_ = std::filesystem::temp_directory_path() / ("percale-locale-" + std::to_string(std::rand()));
    std::filesystem::create_directories(folder_);
    const std::string made = (folder_ / "de_DE.UTF-8").string();
    if (std::system(("localedef -i de_DE -f UTF-8 '" + made + "' >/dev/null 2>&1").c_str()) != 0) return;
    setenv("LOCPATH", folder_.c_str(), 1);
    set("de_DE.UTF-8");
    unsetenv("LOCPATH");
  }
  ~CommaLocale() {
    std::setlocale(LC_ALL, "C");
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  // True if there is such a locale.
  explicit operator bool() const { return there_; }

 private:
  bool set(const char* name) {
    there_ = std::setlocale(LC_ALL, name) != nullptr && std::localeconv()->decimal_point[0] == ',';
    return there_;
  }

  std::filesystem::path folder_;
  bool there_ = false;
};

}  // namespace

TEST_CASE("numbers are read and written with a point, whatever the locale") {
  const CommaLocale comma;
  if (!comma) MESSAGE("no locale with a decimal comma: the numbers are tried in the locale C alone");
  for (const double number : {0.25, -1.0 / 3, 1e-300, 1.7976931348623157e308, 4e15, 0.0}) {
    std::string text;
    detail::add_number(text, number);
    CHECK(text.find(',') == std::string::npos);
    CHECK(detail::number_of(text) == number);
  }
  const Metrics metrics = Metrics::parse(R"({"loss":0.625,"a, b":1e-3, "none":null,"low":-Infinity,"odd":NaN,"n":3})");
  CHECK(metrics["loss"] == 0.625);
  CHECK(metrics["low"] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(metrics["odd"]));
  CHECK(metrics["n"] == 3);
  CHECK(metrics.size() == 6);
}

TEST_CASE("a model is compiled and evaluated under a locale with a decimal comma") {
  const Engine engine = good(Engine::create());
  const Sequential model = {layers::Dense(1, {{"input_shape", {2}}})};
  const Tensor x = good(Tensor::adopt(std::vector<float>{1, 2, 3, 4}, {2, 2}));
  const Tensor y = good(Tensor::adopt(std::vector<float>{1, 2}, {2, 1}));
  const auto evaluate = [&] {
    Trainer trainer = good(model.compile(
        engine, {.optimizer = {{"name", "sgd"}, {"learning_rate", 0.0625}}, .loss = "mse", .metrics = {"mae"}}));
    Dataset data = good(Dataset::from_tensors(engine, {{"x", x}, {"y", y}}));
    good(trainer.fit(data, 1));
    return good(trainer.evaluate(data));
  };
  const Metrics plain = evaluate();
  const CommaLocale comma;
  const Metrics other = evaluate();
  CHECK(other["loss"] == plain["loss"]);
  CHECK(other["mae"] == plain["mae"]);
  CHECK(std::fmod(other["loss"], 1.0) != 0);
}

#include "core/train/report/history.h"

#include <doctest/doctest.h>

#include <cmath>

namespace percale {
namespace {

History sample() {
  History h;
  h.metric_names = {"accuracy"};
  h.rows = {{1, 1, 2.302585093, 0.001, 0.25, {}}, {1, 2, 1.0 / 3, 0.0005, 0.5, {0.75}}};
  return h;
}

}  // namespace

TEST_CASE("the CSV has one row per step, metrics on an epoch's last row") {
  CHECK(sample().to_csv() ==
        "epoch,step,loss,learning_rate,seconds,accuracy\n"
        "1,1,2.30258509,0.001,0.25,\n"
        "1,2,0.333333333,0.0005,0.5,0.75\n");
  CHECK(History{}.to_csv() == "epoch,step,loss,learning_rate,seconds\n");
}

TEST_CASE("a history comes back from its tensor") {
  History back;
  back.metric_names = {"accuracy"};
  REQUIRE(back.from_tensor(sample().to_tensor(), sample().metric_names).ok());
  CHECK(back.to_csv() == sample().to_csv());
  CHECK_FALSE(History{}.from_tensor(sample().to_tensor(), {}).ok());
}

TEST_CASE("a history takes the columns that it has from those that there are") {
  History back;
  back.metric_names = {"val_loss", "accuracy"};
  REQUIRE(back.from_tensor(sample().to_tensor(), {"accuracy"}).ok());
  REQUIRE(back.rows[1].metrics.size() == 2);
  CHECK(std::isnan(back.rows[1].metrics[0]));
  CHECK(back.rows[1].metrics[1] == 0.75);
  CHECK(back.rows[0].metrics.empty());
  History none;
  REQUIRE(none.from_tensor(sample().to_tensor(), {"accuracy"}).ok());
  CHECK(none.rows[1].metrics.empty());
}

TEST_CASE("a history keeps the metrics of a row whose first metric is NaN") {
  History h = sample();
  h.metric_names = {"val_loss", "accuracy"};
  h.rows[1].metrics = {std::nan(""), 0.5};
  History back;
  back.metric_names = h.metric_names;
  REQUIRE(back.from_tensor(h.to_tensor(), h.metric_names).ok());
  REQUIRE(back.rows[1].metrics.size() == 2);
  CHECK(std::isnan(back.rows[1].metrics[0]));
  CHECK(back.rows[1].metrics[1] == 0.5);
}

TEST_CASE("a history whose epochs or steps are no whole numbers is refused") {
  for (const double number : {std::nan(""), 1e300, -1e300}) {
    for (const size_t column : {0, 1}) {
      Tensor rows = sample().to_tensor();
      rows.mutable_span<double>()[column] = number;
      CHECK(History{}.from_tensor(rows, sample().metric_names).code() == Code::kInvalidArgument);
    }
  }
}

size_t count(const std::string& text, const std::string& what) {
  size_t out = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

TEST_CASE("the plot has a title, draws every series, names them, and escapes names") {
  History h = sample();
  h.metric_names = {"a<b\n\xff"};
  const std::string svg = h.to_svg();
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("<title>Training: 2 steps, 1 epoch</title>") != std::string::npos);
  CHECK(svg.find("a&lt;b \xEF\xBF\xBD (right)<") != std::string::npos);
  CHECK(svg.find("a<b") == std::string::npos);
  CHECK(count(svg, "<polyline") == 3 + 3);  // the curves, and their samples in the legend
  CHECK(History{}.to_svg().find("nan") == std::string::npos);
}

TEST_CASE("the validation loss lies on the axis of the loss") {
  History h;
  h.metric_names = {"val_loss", "accuracy"};
  h.rows = {{1, 1, 4, 0.1, 1, {2, 0.5}}};
  const std::string svg = h.to_svg();
  CHECK(svg.find(">val_loss<") != std::string::npos);
  CHECK(svg.find(">accuracy (right)<") != std::string::npos);
  // Half of the loss axis, which ends at 4, is at the height of half of the other axis.
  const size_t first = svg.find("cy=\""), second = svg.find("cy=\"", first + 1);
  CHECK(svg.substr(first, 10) == svg.substr(second, 10));
}

TEST_CASE("losses that are not finite are marked, and told once where they follow each other") {
  History h;
  for (int64_t step = 1; step <= 40; ++step) {
    const bool broken = step == 5 || step > 20;
    h.rows.push_back({1, step, broken ? std::nan("") : 1.0, 0.1, 1, {}});
  }
  const std::string svg = h.to_svg();
  CHECK(svg.find("loss is not finite") != std::string::npos);
  CHECK(count(svg, "the loss of step ") == 2);
  CHECK(svg.find("the loss of step 21 is nan") != std::string::npos);
  CHECK(count(svg, "nan") == 2);
  h.rows.resize(4);
  CHECK(h.to_svg().find("not finite") == std::string::npos);
}

TEST_CASE("the legend is never cut: it takes as many lines as it needs") {
  History h;
  for (int i = 0; i < 20; ++i) h.metric_names.push_back(str_cat("a_rather_long_name_of_a_metric_", i));
  h.metric_names.emplace_back(300, 'x');
  h.rows = {{1, 1, 1, 0.1, 1, std::vector<double>(21, 0.5)}};
  const std::string svg = h.to_svg();
  for (size_t at = svg.find("<text x=\""); at != std::string::npos; at = svg.find("<text x=\"", at + 1)) {
    const double x = std::stod(svg.substr(at + 9));
    const size_t begin = svg.find('>', at) + 1, size = svg.find('<', begin) - begin;
    CHECK(size <= 60);
    if (svg.find("text-anchor", at) > begin) CHECK(x + 7 * static_cast<double>(size) <= 800);
  }
  const double height = std::stod(svg.substr(svg.find("height=\"") + 8));
  CHECK(height > 600);
}

TEST_CASE("the running mean lies on the losses, not behind them") {
  History h;
  for (int64_t step = 1; step <= 1000; ++step) h.rows.push_back({1, step, static_cast<double>(step), 0.1, 1, {}});
  const std::string svg = h.to_svg();
  const auto points_of = [&](const char* colour) {
    const size_t at = svg.rfind(str_cat("stroke=\"", colour)), begin = svg.find("points=", at);
    return svg.substr(begin, svg.find('/', begin) - begin);
  };
  CHECK(points_of("#93c5fd") == points_of("#1d4ed8"));
}

TEST_CASE("a long run is drawn in few points that keep its peaks") {
  History h;
  for (int64_t step = 1; step <= 50000; ++step) h.rows.push_back({1, step, step == 31234 ? 9.0 : 1.0, 0.1, 1, {}});
  const std::string svg = h.to_svg();
  CHECK(svg.size() < 60000);
  CHECK(svg.find(",66.0 ") != std::string::npos);  // the top of the plot
}

}  // namespace percale

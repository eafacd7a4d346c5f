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

TEST_CASE("the plot draws every series, names them, and escapes names") {
  History h = sample();
  h.metric_names = {"a<b"};
  const std::string svg = h.to_svg();
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a&lt;b") != std::string::npos);
  CHECK(svg.find("a<b") == std::string::npos);
  size_t lines = 0;
  for (size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) ++lines;
  CHECK(lines == 3);
  CHECK(History{}.to_svg().find("nan") == std::string::npos);
}

}  // namespace percale

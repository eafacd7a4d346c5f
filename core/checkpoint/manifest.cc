#include "core/checkpoint/manifest.h"

#include <algorithm>
#include <charconv>

#include "core/file/crc32c.h"
#include "core/file/file.h"

namespace percale {
namespace {

constexpr std::string_view kSeal = ",\"manifest_crc32c\":", kOrder = "\"order\":", kRun = "\"run\":\"";
constexpr int64_t kMaxManifest = int64_t{256} << 20, kHeadBytes = 256;
// Limit of a valid order. A larger one comes from a damaged head, and incrementing it could
// overflow.
constexpr int64_t kMaxOrder = INT64_MAX / 2;

}  // namespace

void begin_manifest(JsonWriter& w, const ManifestHead& head) {
  w.begin_object().key("format").value("percale checkpoint").key("version").value(kManifestVersion);
  w.key("order").value(head.order).key("run").value(head.run);
}

std::string finish_manifest(const JsonWriter& w) { return w.text() + manifest_seal(w.text()); }

std::string manifest_seal(std::string_view body) { return str_cat(kSeal, crc32c(body), "}\n"); }

Result<ManifestHead> read_manifest_head(const std::string& path) {
  ManifestHead out;
  const auto file = map_file(path);
  if (file.status().code() == Code::kNotFound) return out;
  if (!file.ok()) return file.status();
  if ((*file)->bytes() == 0) return out;
  const std::string_view text(static_cast<const char*>((*file)->data()),
                              static_cast<size_t>(std::min((*file)->bytes(), kHeadBytes)));
  if (const size_t at = text.find(kOrder); at != std::string_view::npos) {
    const char* begin = text.data() + at + kOrder.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), out.order);
    if (error != std::errc() || out.order < 0 || out.order > kMaxOrder) out.order = 0;
  }
  if (const size_t at = text.find(kRun); at != std::string_view::npos) {
    const std::string_view rest = text.substr(at + kRun.size());
    if (const size_t end = rest.find('"'); end != std::string_view::npos) out.run = rest.substr(0, end);
  }
  return out;
}

Result<Json> read_manifest(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  PERCALE_ASSIGN_OR_RETURN(const std::string text, read_file(path, pool, kMaxManifest));
  const size_t seal = text.rfind(kSeal);
  if (seal == std::string::npos) return data_loss("the file is truncated");
  const std::string_view body(text.data(), seal);
  if (text.compare(seal, std::string::npos, manifest_seal(body)) != 0) return data_loss("the checksum is wrong");
  return Json::parse(text);
}

Result<std::optional<double>> manifest_score(const Json& manifest) {
  const Json* score = manifest.find("score");
  if (score == nullptr || score->is_null()) return std::optional<double>();
  PERCALE_ASSIGN_OR_RETURN(const double v, score->as_double("score"));
  return std::optional<double>(v);
}

}  // namespace percale

#include "core/train/group/row_exchange.h"

#include <utility>

namespace percale {

Status exchange_rows(Group& group, const std::vector<size_t>& segments, int64_t shards, const RowGradients& rows) {
  for (size_t table = 0; table < segments.size(); ++table) {
    const auto holds = [&](size_t rank) { return group.holders().holds(group.origin(rank), segments[table]); };
    std::vector<ByteSpan> number_sends(group.size()), number_recvs(group.size());
    std::vector<ByteSpan> value_sends(group.size()), value_recvs(group.size());
    const RowGradients::Region own = rows.region(table, group.shards_of(group.rank(), shards));
    for (size_t rank = 0; rank < group.size(); ++rank) {
      if (holds(rank)) {
        number_sends[rank] = memory_of(own.rows);
        value_sends[rank] = memory_of(own.values);
      }
      if (!holds(group.rank())) continue;
      const RowGradients::Region region = rows.region(table, group.shards_of(rank, shards));
      number_recvs[rank] = memory_of(region.rows);
      value_recvs[rank] = memory_of(region.values);
    }
    PERCALE_RETURN_IF_ERROR(group.exchange("row numbers", std::move(number_sends), std::move(number_recvs)));
    PERCALE_RETURN_IF_ERROR(group.exchange("row gradients", std::move(value_sends), std::move(value_recvs)));
  }
  return {};
}

}  // namespace percale

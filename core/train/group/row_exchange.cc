#include "core/train/group/row_exchange.h"

#include <utility>

namespace percale {
Status exchange_rows(Group& group, const std::vector<size_t>& owners, int64_t shards, const RowGradients& rows) {
  for (size_t table = 0; table < owners.size(); ++table) {
    std::vector<ByteSpan> number_sends(group.size()), number_recvs(group.size());
    std::vector<ByteSpan> value_sends(group.size()), value_recvs(group.size());
    const RowGradients::Region own = rows.region(table, group.shards_of(group.rank(), shards));
    number_sends[owners[table]] = memory_of(own.rows);
    value_sends[owners[table]] = memory_of(own.values);
    for (size_t rank = 0; rank < group.size() && owners[table] == group.rank(); ++rank) {
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

#include "core/draw/picture/blocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/draw/picture/repeats.h"

namespace percale {
namespace {

constexpr size_t kMaxTitleItems = 2;
// Limits the recursion, because names may come from untrusted files.
constexpr int kMaxScopes = 16;

// Returns the part of a name at `from` with its '/'; "" for the last part.
std::string_view scope_at(std::string_view name, size_t from) {
  const size_t slash = name.find('/', from + 1);
  return slash == std::string_view::npos || from >= name.size() ? std::string_view()
                                                                : name.substr(from, slash + 1 - from);
}

class BlockMaker {
 public:
  BlockMaker(const Picture& picture, std::vector<Block>& blocks) : picture_(picture), blocks_(blocks) {}

  void make() {
    blocks_.emplace_back();
    blocks_[0].title = picture_.title;
    sources_.resize(picture_.boxes.size());
    for (const Link& link : picture_.links) sources_[static_cast<size_t>(link.to)].push_back(link.from);
    place_.assign(picture_.boxes.size(), -1);
    likeness_of_box_.reserve(picture_.boxes.size());
    for (const Box& box : picture_.boxes) likeness_of_box_.push_back(box.likeness.empty() ? -1 : number(box.likeness));

    const auto size = static_cast<int32_t>(picture_.boxes.size());
    const auto is_node = [&](int32_t i) { return box(i).kind == BoxKind::kNode; };
    int32_t begin = 0, end = size;
    while (begin < size && !is_node(begin)) ++begin;
    while (end > begin && !is_node(end - 1)) --end;
    std::vector<Item> items = nodes(begin, end, 0, 0);
    std::vector<Item>& all = blocks_[0].items;
    for (int32_t i = 0; i < begin; ++i) all.push_back({i, -1});
    all.insert(all.end(), items.begin(), items.end());
    for (int32_t i = end; i < size; ++i) all.push_back({i, -1});
    adopt(0);
  }

  int32_t add_block(std::string title, std::vector<Item> items) {
    Block block;
    block.title = std::move(title);
    block.items = std::move(items);
    blocks_.push_back(std::move(block));
    return static_cast<int32_t>(blocks_.size()) - 1;
  }

  // Sets the parents of all items below a block and counts its nodes.
  int32_t adopt(int32_t parent) {
    int32_t count = 0;
    for (size_t i = 0; i < blocks_[static_cast<size_t>(parent)].items.size(); ++i) {
      const Item item = blocks_[static_cast<size_t>(parent)].items[i];
      if (item.block >= 0) blocks_[static_cast<size_t>(item.block)].parent = parent;
      count += item.block >= 0 ? adopt(item.block) : 1;
    }
    return blocks_[static_cast<size_t>(parent)].nodes = count;
  }

  // Returns a title such as "Conv Relu MaxPool …".
  std::string title_of(const std::vector<Item>& items) const {
    std::string out;
    size_t count = 0;
    for (const Item item : items) {
      if (count++ == kMaxTitleItems) return out + " \xE2\x80\xA6";
      out += (out.empty() ? "" : " ") + (item.box >= 0 ? box(item.box).title : block(item.block).title);
    }
    return out;
  }

 private:
  const Box& box(int32_t i) const { return picture_.boxes[static_cast<size_t>(i)]; }
  const Block& block(int32_t i) const { return blocks_[static_cast<size_t>(i)]; }
  int32_t number(const std::string& text) {
    return numbers_.emplace(text, static_cast<int32_t>(numbers_.size())).first->second;
  }

  // Returns the items for the boxes [begin, end), whose names agree in their first `from` bytes.
  std::vector<Item> nodes(int32_t begin, int32_t end, size_t from, int depth) {
    std::vector<Item> items;
    for (int32_t i = begin; i < end;) {
      const std::string& name = box(i).name;
      const std::string_view scope = depth < kMaxScopes ? scope_at(name, from) : std::string_view();
      int32_t behind = i + 1;
      while (!scope.empty() && behind < end && scope_at(box(behind).name, from) == scope) ++behind;
      if (behind == i + 1) {
        items.push_back({i, -1});
      } else {
        std::vector<Item> inner = nodes(i, behind, from + scope.size(), depth + 1);
        if (i == begin && behind == end) return inner;
        items.push_back({-1, add_block("", std::move(inner))});
        blocks_.back().scope = name.substr(0, from + scope.size());
      }
      i = behind;
    }
    return folded(std::move(items));
  }

  int32_t first_box(const Item& item) const {
    return item.box >= 0 ? item.box : first_box(block(item.block).items.front());
  }

  int32_t end_box(const Item& item) const {
    return item.box >= 0 ? item.box + 1 : end_box(block(item.block).items.back());
  }

  // Blocks are alike if their items are alike in the same order.
  int32_t likeness(const Item& item) {
    if (item.box >= 0) return likeness_of_box_[static_cast<size_t>(item.box)];
    std::string text = std::to_string(block(item.block).repeats);
    for (const Item& inner : block(item.block).items) {
      const int32_t inner_likeness = likeness(inner);
      if (inner_likeness < 0) return -1;
      text += ' ' + std::to_string(inner_likeness);
    }
    return number(text);
  }

  std::vector<Step> steps_of(const std::vector<Item>& items) {
    std::vector<Step> steps(items.size());
    const int32_t begin = first_box(items.front()), end = end_box(items.back());
    for (size_t i = 0; i < items.size(); ++i) {
      std::fill(place_.begin() + first_box(items[i]), place_.begin() + end_box(items[i]), static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < items.size(); ++i) {
      Step& step = steps[i];
      step.likeness = likeness(items[i]);
      step.weight = end_box(items[i]) - first_box(items[i]);
      for (int32_t b = first_box(items[i]); b < end_box(items[i]); ++b) {
        for (const int32_t source : sources_[static_cast<size_t>(b)]) {
          const bool inside = source >= begin && source < end;
          const int32_t place = inside ? place_[static_cast<size_t>(source)] : -1;
          if (place != static_cast<int32_t>(i)) step.sources.push_back(place);
        }
      }
    }
    return steps;
  }

  // Folds each repeat, a sequence of equal ranges, into one item.
  std::vector<Item> folded(std::vector<Item> items) {
    if (items.size() < 2) return items;
    std::vector<Item> out;
    size_t next = 0;
    for (const Repeat& repeat : find_repeats(steps_of(items))) {
      const auto begin = static_cast<size_t>(repeat.begin), period = static_cast<size_t>(repeat.period);
      if (period == items.size()) continue;
      out.insert(out.end(), items.begin() + static_cast<int64_t>(next), items.begin() + static_cast<int64_t>(begin));
      std::vector<Item> blocks;
      for (int32_t k = 0; k < repeat.count; ++k) {
        const auto first = items.begin() + static_cast<int64_t>(begin + static_cast<size_t>(k) * period);
        blocks.push_back(block_of({first, first + static_cast<int64_t>(period)}));
      }
      next = begin + blocks.size() * period;
      const int32_t all = add_block("", std::move(blocks));
      Block& made = blocks_[static_cast<size_t>(all)];
      made.repeats = repeat.count;
      made.title = title_of({made.items.front()});
      out.push_back({-1, all});
    }
    out.insert(out.end(), items.begin() + static_cast<int64_t>(next), items.end());
    return out;
  }

  // Returns an item for one of several equal ranges.
  Item block_of(std::vector<Item> items) {
    if (items.size() == 1) return items[0];
    std::vector<Item> inner = folded(std::move(items));
    std::string title = title_of(inner);
    return {-1, add_block(std::move(title), std::move(inner))};
  }

  const Picture& picture_;
  std::vector<Block>& blocks_;
  std::vector<std::vector<int32_t>> sources_;  // per box
  std::vector<int32_t> place_;                 // per box: its item in the current list
  std::vector<int32_t> likeness_of_box_;
  std::map<std::string, int32_t> numbers_;
};

}  // namespace

std::vector<Block> make_blocks(const Picture& picture) {
  std::vector<Block> blocks;
  BlockMaker(picture, blocks).make();
  return blocks;
}

bool split_block(const Picture& picture, std::vector<Block>& blocks, int32_t block) {
  std::vector<Item> items = std::move(blocks[static_cast<size_t>(block)].items);
  const auto is_end = [&](const Item& item) {
    return item.box >= 0 && picture.boxes[static_cast<size_t>(item.box)].kind != BoxKind::kNode;
  };
  const auto first = std::find_if_not(items.begin(), items.end(), is_end);
  const auto last = std::find_if_not(items.rbegin(), items.rend(), is_end).base();
  const int64_t count = last - first;
  const auto size = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const bool gains = size >= 3;
  std::vector<Item> out(items.begin(), first);
  BlockMaker maker(picture, blocks);
  for (auto at = first; gains && at < last; at += std::min<int64_t>(size, last - at)) {
    std::vector<Item> chunk(at, at + std::min<int64_t>(size, last - at));
    std::string title = maker.title_of(chunk);
    out.push_back({-1, maker.add_block(std::move(title), std::move(chunk))});
  }
  out.insert(out.end(), last, items.end());
  blocks[static_cast<size_t>(block)].items = gains ? std::move(out) : std::move(items);
  maker.adopt(block);
  return gains;
}

}  // namespace percale

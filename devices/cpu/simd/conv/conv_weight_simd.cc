// The gradients of a convolution for its weights and bias.
#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/conv/conv_weight_simd.cc"
#include <hwy/foreach_target.h>

#include <cstring>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/conv/conv.h"
#include "devices/cpu/simd/conv/conv_geometry.h"
#include "devices/cpu/simd/conv/conv_weight_plan-inl.h"
#include "devices/cpu/simd/conv/conv_weight_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

// The location of the transposed gradient of the pixels from `first` on.
struct Gradient {
  const float* data;
  int64_t first, pixels;
};

// Adds images of one group: tiles [t0, t1) of taps, all channels. gradient_of(y0, y1) returns the
// gradient of these rows.
template <class F>
void add_images(const Plan& plan, const Source& s, int64_t t0, int64_t t1, F&& gradient_of, bool add, float* sums) {
  const std::make_integer_sequence<int, kTileTaps> all;
  const Parts &ys = plan.bands, xs(s.width, ceil_div(s.width, 2 * kBandPixels));
  for (int64_t y = 0; y < ys.count; ++y) {
    const Gradient dy = gradient_of(ys.begin(y), ys.begin(y) + ys.size(y));
    for (int64_t x = 0; x < xs.count; ++x) {
      const Band band{ys.begin(y), ys.begin(y) + ys.size(y), xs.begin(x), xs.begin(x) + xs.size(x)};
      for (int64_t b = 0; b < plan.blocks(); ++b) {
        const float* from = dy.data + (plan.first(b) * dy.pixels - dy.first * plan.width(b));
        float* to = sums + plan.first(b) * plan.t.taps();
        const bool wide = plan.width(b) > kL;
        for (int64_t t = t0; t < t1; ++t) {
          const Tile tile = plan.tile(t);
          const Band used = band.within(plan.inside(tile));
          if (add && used.empty()) continue;
          const TapTileFn fn = wide ? tap_tile_of<2>(tile.count, all) : tap_tile_of<1>(tile.count, all);
          fn(s, tile, used, from, add, to + tile.first * plan.width(b));
        }
      }
      add = true;
    }
  }
}

// Writes a job's transposed gradient for `pixels` to the location in `to`.
void transpose_gradient(const Plan& plan, const float* dy, int64_t job, const PieceRange& pixels, const Gradient& to,
                        float* data) {
  const TapConv& t = plan.t;
  for (int64_t b = 0; b < plan.blocks(); ++b) {
    const int64_t first = plan.first(b), width = plan.width(b);
    transpose_matrix(dy + (job * t.written_c + first) * plan.pixels() + pixels.begin, plan.pixels(),
                     min_of(t.written_c - first, width), pixels.end - pixels.begin,
                     data + first * to.pixels + (pixels.begin - to.first) * width, width, width);
  }
}

// Copies share `part` of `parts` of the image that a job reads if it needs margins; with
// `clearing`, zeroes the margins, too.
void copy_image(const Plan& plan, const float* x, int64_t job, float* buffer, int64_t part, int64_t parts,
                bool clearing) {
  const TapConv& t = plan.t;
  const PieceRange channels = piece_range(t.read_c, parts, part);
  plan.image.fill(x + job * t.read_c * t.read_h * t.read_w, buffer, channels.begin, channels.end, clearing);
}

// One call of weight_grad(): the plan, the operands and the parts of the scratch memory.
class WeightGrad {
 public:
  WeightGrad(const Plan& plan, const float* x, const float* dy, void* scratch, const ParallelFor& parallel)
      : plan_(plan),
        x_(x),
        dy_(dy),
        offsets_(static_cast<int64_t*>(scratch)),
        sums_(reinterpret_cast<float*>(static_cast<char*>(scratch) + plan.offsets_bytes())),
        buffers_(sums_ + plan.splits.images * plan.split_sums()),
        parallel_(parallel) {}

  void run(float* dw) const {
    fill_offsets();
    if (plan_.splits.many()) {
      sum_splits();
    } else {
      for (int64_t first = 0; first < plan_.t.batch; first += plan_.splits.chunk) {
        const int64_t images = min_of(plan_.splits.chunk, plan_.t.batch - first);
        copy_chunk(first, images);
        sum_chunk(first, images);
      }
    }
    if (plan_.splits.images > 1) add_splits();
    store_sums(dw);
  }

 private:
  // Writes the distance of each tap from the first element that its pixel reads.
  void fill_offsets() const {
    const TapConv& t = plan_.t;
    int64_t index = 0;
    for (int64_t c = 0; c < t.read_c; ++c) {
      for (int64_t i = 0; i < t.y.kernel; ++i) {
        for (int64_t j = 0; j < t.x.kernel; ++j) {
          int64_t down = 0, right = 0;
          t.y.tap(0, i, &down);
          t.x.tap(0, j, &right);
          const Margins& margins = plan_.image.margins;
          offsets_[index++] =
              c * plan_.image.plane() + (margins.top + down) * plan_.image.pitch() + margins.left + right;
        }
      }
    }
  }

  // Some jobs (an image and a group each) whose sums are added at once: `images` jobs from `job`
  // on, `apart` from each other, whose buffers are `step` elements apart.
  struct Jobs {
    int64_t job, images, apart;
    const float* buffer;
    int64_t step;
  };

  // Adds tiles [t0, t1) of the jobs.
  template <class F>
  void add_jobs(const Jobs& jobs, int64_t t0, int64_t t1, bool add, float* to, F&& gradient_of) const {
    const TapConv& t = plan_.t;
    const bool copied = plan_.image.size() > 0;
    const int64_t image = t.read_c * t.read_h * t.read_w;
    Source s;
    s.image = copied ? jobs.buffer : x_ + jobs.job * image;
    s.xstep = t.x.step();
    s.ystep = t.y.step() * plan_.image.pitch();
    s.offsets = offsets_;
    s.width = t.written_w;
    s.images = jobs.images;
    s.image_step = copied ? jobs.step : jobs.apart * image;
    s.dy_step = jobs.step;
    if (plan_.along_pixels) {
      const Tile last = plan_.tile(t1 - 1);
      add_image_along_pixels(s, plan_.tile(t0).first, last.first + last.count, t.written_h,
                             dy_ + jobs.job * t.written_c * plan_.pixels(), t.written_c, add, to);
    } else {
      add_images(plan_, s, t0, t1, gradient_of, add, to);
    }
  }

  // With many jobs: each piece sums a split of the images for a share of the groups.
  void sum_splits() const {
    const TapConv& t = plan_.t;
    const int64_t joined = plan_.joined(), size = plan_.buffer_size();
    parallel_(plan_.splits.images * plan_.splits.groups, [&](int64_t piece) {
      const int64_t split = piece / plan_.splits.groups;
      const PieceRange images = piece_range(t.batch, plan_.splits.images, split);
      const PieceRange groups = piece_range(t.groups, plan_.splits.groups, piece % plan_.splits.groups);
      float* own = buffers_ + piece * joined * size;
      for (int64_t n = images.begin; n < images.end; n += joined) {
        const int64_t count = min_of(joined, images.end - n);
        for (int64_t g = groups.begin; g < groups.end; ++g) {
          const bool first = n == images.begin && g == groups.begin;
          for (int64_t i = 0; i < count; ++i)
            copy_image(plan_, x_, (n + i) * t.groups + g, own + i * size, 0, 1, first);
          add_jobs({n * t.groups + g, count, t.groups, own, size}, 0, plan_.tiles(), n > images.begin,
                   sums_ + split * plan_.split_sums() + g * plan_.group_sums(), [&](int64_t y0, int64_t y1) {
                     const PieceRange pixels{y0 * t.written_w, y1 * t.written_w};
                     const Gradient band{own + plan_.image.size(), pixels.begin, pixels.end - pixels.begin};
                     for (int64_t i = 0; i < count; ++i) {
                       transpose_gradient(plan_, dy_, (n + i) * t.groups + g, pixels, band,
                                          own + i * size + plan_.image.size());
                     }
                     return band;
                   });
        }
      }
    });
  }

  // With few jobs: copies `images` images from `first` on, and their transposed gradients.
  void copy_chunk(int64_t first, int64_t images) const {
    const TapConv& t = plan_.t;
    const int64_t size = plan_.buffer_size(), jobs = images * t.groups;
    const int64_t parts = pieces_for(8 * static_cast<double>(size));
    parallel_(jobs * parts, [&](int64_t piece) {
      const int64_t job = piece / parts;
      float* to = buffers_ + job * size;
      copy_image(plan_, x_, first * t.groups + job, to, piece % parts, parts, true);
      if (plan_.along_pixels) return;
      transpose_gradient(plan_, dy_, first * t.groups + job, piece_range(plan_.pixels(), parts, piece % parts, kL),
                         {to, 0, plan_.pixels()}, to + plan_.image.size());
    });
  }

  // Adds the images of copy_chunk(): each piece sums some tiles of taps over all of them.
  void sum_chunk(int64_t first, int64_t images) const {
    const TapConv& t = plan_.t;
    const int64_t size = plan_.buffer_size();
    parallel_(t.groups * plan_.splits.tiles, [&](int64_t piece) {
      const int64_t g = piece / plan_.splits.tiles;
      const PieceRange tiles = piece_range(plan_.tiles(), plan_.splits.tiles, piece % plan_.splits.tiles);
      for (int64_t n = 0; n < images; n += plan_.join) {
        const float* buffer = buffers_ + (n * t.groups + g) * size;
        add_jobs({(first + n) * t.groups + g, min_of(plan_.join, images - n), t.groups, buffer, t.groups * size},
                 tiles.begin, tiles.end, first + n > 0, sums_ + g * plan_.group_sums(), [&](int64_t, int64_t) {
                   return Gradient{buffer + plan_.image.size(), 0, plan_.pixels()};
                 });
      }
    });
  }

  int64_t adders() const { return min_of(ceil_div(plan_.split_sums(), 4096), 16); }

  // Adds the sums of the splits by a binary tree.
  void add_splits() const {
    const int64_t total = plan_.split_sums(), pieces = adders();
    parallel_(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(total, pieces, piece, 16);
      for (int64_t apart = 1; apart < plan_.splits.images; apart *= 2) {
        for (int64_t i = 0; i + apart < plan_.splits.images; i += 2 * apart) {
          float* to = sums_ + i * total;
          const float* from = sums_ + (i + apart) * total;
          for (int64_t at = range.begin; at < range.end; at += kL) {
            store<float>(hn::Add(load<float>(to + at), load<float>(from + at)), to + at);
          }
        }
      }
    });
  }

  // Writes the sums, transposed from [tap][channel] to [channel][tap].
  void store_sums(float* dw) const {
    const TapConv& t = plan_.t;
    const int64_t blocks = t.groups * plan_.blocks(), pieces = min_of(blocks, adders());
    parallel_(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(blocks, pieces, piece);
      for (int64_t i = range.begin; i < range.end; ++i) {
        const int64_t g = i / plan_.blocks(), b = i % plan_.blocks(), first = plan_.first(b), width = plan_.width(b);
        transpose_matrix(sums_ + g * plan_.group_sums() + first * t.taps(), width, t.taps(),
                         min_of(t.written_c - first, width), dw + (g * t.written_c + first) * t.taps(), t.taps(),
                         t.taps());
      }
    });
  }

  const Plan& plan_;
  const float *const x_, *const dy_;
  int64_t* const offsets_;  // of the taps
  float *const sums_, *const buffers_;
  const ParallelFor& parallel_;
};

int64_t scratch_bytes(const Conv2d& conv) { return Plan(conv).scratch_bytes(); }

void weight_grad(const Conv2d& conv, const float* x, const float* dy, float* dw, void* scratch,
                 const ParallelFor& parallel) {
  const Plan plan(conv);
  const TapConv& t = plan.t;
  if (t.taps() == 0 || t.written_c == 0) return;
  if (t.batch == 0 || plan.pixels() == 0) {
    std::memset(dw, 0, static_cast<size_t>(t.groups * t.written_c * t.taps()) * sizeof(float));
    return;
  }
  WeightGrad(plan, x, dy, scratch, parallel).run(dw);
}

void bias_grad(const Conv2d& conv, const float* dy, float* db, const ParallelFor& parallel) {
  const int64_t pixels = conv.out_h * conv.out_w;
  const int64_t pieces = min_of(conv.out_c, pieces_for(8.0 * static_cast<double>(conv.batch * conv.out_c * pixels)));
  if (conv.out_c == 0) return;
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(conv.out_c, pieces, piece);
    for (int64_t o = range.begin; o < range.end; ++o) {
      float sum = 0;
      for (int64_t n = 0; n < conv.batch; ++n) {
        const float* row = dy + (n * conv.out_c + o) * pixels;
        Vec<float> acc[kParts<float>];
        for (Vec<float>& part : acc) part = zero<float>();
        for (int64_t p = 0; p < pixels; p += kVirtual<float>) {
          for (int part = 0; part < kParts<float>; ++part) {
            const int64_t at = p + part * kL;
            acc[part] = hn::Add(acc[part], load_n<float>(row + at, max_of(min_of(pixels - at, kL), 0)));
          }
        }
        sum += sum_lanes<float>(acc);
      }
      db[o] = sum;
    }
  });
}

}  // namespace

constexpr ConvWeightFns kFns = {scratch_bytes, weight_grad, bias_grad};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(ConvWeightFns);
}  // namespace percale::simd
#endif

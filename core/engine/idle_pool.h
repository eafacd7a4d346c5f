// What finished runs leave for the next ones.
#ifndef PERCALE_CORE_ENGINE_IDLE_POOL_H_
#define PERCALE_CORE_ENGINE_IDLE_POOL_H_

#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace percale {

// Keeps a few items; they are taken and put back without a lock, from any thread.
template <class T>
class IdlePool {
 public:
  IdlePool() = default;
  ~IdlePool() { clear(); }
  IdlePool(const IdlePool&) = delete;
  IdlePool& operator=(const IdlePool&) = delete;

  // Null when there is none.
  std::unique_ptr<T> take() {
    for (auto& slot : slots_) {
      if (T* item = slot.exchange(nullptr)) return std::unique_ptr<T>(item);
    }
    return nullptr;
  }
  // Deletes what it has no room for.
  void put(std::unique_ptr<T> item) {
    for (auto& slot : slots_) {
      T* none = nullptr;
      if (!slot.compare_exchange_strong(none, item.get())) continue;
      static_cast<void>(item.release());
      return;
    }
  }
  // True when there was one.
  bool clear() {
    bool any = false;
    for (auto& slot : slots_) {
      const std::unique_ptr<T> item(slot.exchange(nullptr));
      any = any || item != nullptr;
    }
    return any;
  }

 private:
  std::array<std::atomic<T*>, 8> slots_{};
};

// An item that goes back to its pool, however the run ends; a container is emptied first and keeps its room.
template <class T>
class Lent {
 public:
  Lent(IdlePool<T>& pool, std::unique_ptr<T> item) : pool_(pool), item_(std::move(item)) {}
  // One of the pool, or a new one.
  explicit Lent(IdlePool<T>& pool) : Lent(pool, pool.take()) {
    if (item_ == nullptr) item_ = std::make_unique<T>();
  }
  ~Lent() {
    if constexpr (requires(T & t) { t.clear(); }) {
      if (item_ != nullptr) item_->clear();
    }
    if (item_ != nullptr) pool_.put(std::move(item_));
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  T& operator*() const { return *item_; }
  T* operator->() const { return item_.get(); }

 private:
  IdlePool<T>& pool_;
  std::unique_ptr<T> item_;
};

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_IDLE_POOL_H_

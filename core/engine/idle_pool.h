// A lock-free pool of idle objects.
#ifndef PERCALE_CORE_ENGINE_IDLE_POOL_H_
#define PERCALE_CORE_ENGINE_IDLE_POOL_H_

#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace percale {

// Keeps up to eight items. Any thread may take and put, without a lock.
template <class T>
class IdlePool {
 public:
  IdlePool() = default;
  ~IdlePool() { clear(); }
  IdlePool(const IdlePool&) = delete;
  IdlePool& operator=(const IdlePool&) = delete;

  // Null if there is none.
  std::unique_ptr<T> take() {
    for (auto& slot : slots_) {
      if (T* item = slot.exchange(nullptr)) return std::unique_ptr<T>(item);
    }
    return nullptr;
  }
  // Deletes the item if the pool is full.
  void put(std::unique_ptr<T> item) {
    for (auto& slot : slots_) {
      T* none = nullptr;
      if (!slot.compare_exchange_strong(none, item.get())) continue;
      static_cast<void>(item.release());
      return;
    }
  }
  // Returns true if there was one.
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

// Returns an item to its pool on destruction. A container is cleared first and keeps its capacity.
template <class T>
class Lent {
 public:
  Lent(IdlePool<T>& pool, std::unique_ptr<T> item) : pool_(pool), item_(std::move(item)) {}
  // Takes an item from the pool, or makes one.
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

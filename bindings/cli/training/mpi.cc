#include "training/mpi.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "api.h"
#include "system/system.h"

namespace percale_cli {

// The types and constants of the ABI that are used here.
using MpiHandle = void*;
using MpiCount = int64_t;
struct MpiStatus {
  int source, tag, error, internal[5];
};

namespace {

constexpr const char* kLibrary = "libmpi_abi.so.1";
constexpr int kSuccess = 0, kThreadSerialized = 2048, kMaxErrorString = 512;
// Every implementation allows tags as great as this one.
constexpr uint64_t kTags = 32768;

MpiHandle constant(uintptr_t value) { return reinterpret_cast<MpiHandle>(value); }
const MpiHandle kCommWorld = constant(0x101), kErrorsReturn = constant(0x143), kByte = constant(0x247);

}  // namespace

struct MpiFunctions {
  int (*init_thread)(int*, char***, int required, int* provided);
  int (*finalize)();
  int (*comm_rank)(MpiHandle comm, int*);
  int (*comm_size)(MpiHandle comm, int*);
  int (*comm_set_errhandler)(MpiHandle comm, MpiHandle handler);
  int (*isend)(const void*, MpiCount, MpiHandle type, int to, int tag, MpiHandle comm, MpiHandle* request);
  int (*irecv)(void*, MpiCount, MpiHandle type, int from, int tag, MpiHandle comm, MpiHandle* request);
  int (*test)(MpiHandle* request, int* done, MpiStatus*);
  int (*get_count)(const MpiStatus*, MpiHandle type, MpiCount*);
  int (*error_string)(int code, char*, int* length);

  std::string error(int code) const {
    char text[kMaxErrorString] = "";
    int length = 0;
    return error_string(code, text, &length) == kSuccess ? text : "error " + std::to_string(code);
  }
};

namespace {

std::unique_ptr<MpiFunctions> open_mpi() {
  std::string reason;
  void* const library = open_library(kLibrary, &reason);
  if (library == nullptr) {
    throw Failure{"--collective mpi needs " + std::string(kLibrary) +
                      ", the library of MPI's standard ABI, which MPICH has since version 5: " + reason +
                      "; LD_LIBRARY_PATH can name its folder",
                  PERCALE_UNAVAILABLE};
  }
  auto out = std::make_unique<MpiFunctions>();
  const auto find = [&](const char* name, auto& function) {
    void* const found = find_symbol(library, name);
    if (found == nullptr) throw Failure{std::string(kLibrary) + " has no " + name, PERCALE_UNAVAILABLE};
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find("MPI_Init_thread", out->init_thread);
  find("MPI_Finalize", out->finalize);
  find("MPI_Comm_rank", out->comm_rank);
  find("MPI_Comm_size", out->comm_size);
  find("MPI_Comm_set_errhandler", out->comm_set_errhandler);
  find("MPI_Isend_c", out->isend);
  find("MPI_Irecv_c", out->irecv);
  find("MPI_Test", out->test);
  find("MPI_Get_count_c", out->get_count);
  find("MPI_Error_string", out->error_string);
  return out;
}

percale_status* unavailable(const std::string& message) {
  return percale_status_create(PERCALE_UNAVAILABLE, message.data(), message.size());
}

// A message under way.
struct Message {
  int rank;
  bool received;
  size_t size;
  MpiHandle request = nullptr;
  bool done = false;
};

// Yields at first, because most messages are short; then leaves the processor to other processes.
class Pause {
 public:
  void wait() {
    if (++turns_ < 200) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  int turns_ = 0;
};

}  // namespace

MpiGroup::MpiGroup() : mpi_(open_mpi()) {
  int provided = 0;
  // The library exchanges on threads of its own, one at a time.
  int code = mpi_->init_thread(nullptr, nullptr, kThreadSerialized, &provided);
  if (code == kSuccess) code = mpi_->comm_set_errhandler(kCommWorld, kErrorsReturn);
  if (code == kSuccess) code = mpi_->comm_rank(kCommWorld, &rank_);
  if (code == kSuccess) code = mpi_->comm_size(kCommWorld, &size_);
  if (code != kSuccess) throw Failure{"--collective mpi: " + mpi_->error(code), PERCALE_UNAVAILABLE};
  if (provided < kThreadSerialized) {
    throw Failure{"--collective mpi: this MPI is for programs of one thread; wanted MPI_THREAD_SERIALIZED",
                  PERCALE_UNAVAILABLE};
  }
}

MpiGroup::~MpiGroup() {
  if (!failed_ && std::uncaught_exceptions() == 0) mpi_->finalize();
}

void MpiGroup::join(percale_trainer* trainer) {
  const percale_collective own = table();
  check(percale_trainer_join(trainer, &own, nullptr));
}

percale_collective MpiGroup::table() {
  percale_collective out{};
  out.struct_size = sizeof out;
  out.user = this;
  out.rank = rank_;
  out.size = size_;
  out.generation = 1;
  out.exchange = [](void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs, int64_t timeout_ns) {
    auto& own = *static_cast<MpiGroup*>(user);
    // Messages of the failed exchange may still be under way, to memory that has other uses by now.
    if (own.failed_) return unavailable("an exchange has failed, and MPI cannot go on after it");
    percale_status* const status = own.exchange(tag, sends, recvs, timeout_ns);
    own.failed_ = own.failed_ || status != nullptr;
    return status;
  };
  return out;
}

// Messages of a pair of ranks arrive in their order, so that the tag need not tell them apart: it
// finds ranks that are out of step.
percale_status* MpiGroup::exchange(uint64_t tag, const percale_bytes* sends, const percale_bytes* recvs,
                                   int64_t timeout_ns) {
  const auto began = std::chrono::steady_clock::now();
  const int own_tag = static_cast<int>(tag % kTags);
  std::vector<Message> messages;
  for (const bool received : {true, false}) {
    for (int r = 0; r < size_; ++r) {
      const percale_bytes& bytes = received ? recvs[r] : sends[r];
      if (r == rank_ || bytes.size == 0) continue;
      Message& message = messages.emplace_back(Message{r, received, bytes.size});
      const auto count = static_cast<MpiCount>(bytes.size);
      const int code = received ? mpi_->irecv(bytes.data, count, kByte, r, own_tag, kCommWorld, &message.request)
                                : mpi_->isend(bytes.data, count, kByte, r, own_tag, kCommWorld, &message.request);
      if (code != kSuccess) return unavailable("rank " + std::to_string(r) + ": " + mpi_->error(code));
    }
  }
  Pause pause;
  for (size_t left = messages.size(); left > 0;) {
    for (Message& message : messages) {
      if (message.done) continue;
      int done = 0;
      MpiStatus status{};
      const int code = mpi_->test(&message.request, &done, &status);
      if (code != kSuccess) return unavailable("rank " + std::to_string(message.rank) + ": " + mpi_->error(code));
      if (done == 0) continue;
      message.done = true;
      --left;
      MpiCount count = 0;
      if (!message.received || mpi_->get_count(&status, kByte, &count) != kSuccess) continue;
      if (static_cast<size_t>(count) != message.size) {
        return unavailable("rank " + std::to_string(message.rank) + " sent " + std::to_string(count) +
                           " bytes, wanted " + std::to_string(message.size));
      }
    }
    if (left == 0) break;
    if (timeout_ns >= 0 && std::chrono::steady_clock::now() - began > std::chrono::nanoseconds(timeout_ns)) {
      const auto late = std::find_if(messages.begin(), messages.end(), [](const Message& m) { return !m.done; });
      return unavailable("rank " + std::to_string(late->rank) + " has " +
                         (late->received ? "sent nothing" : "taken nothing") + " in time");
    }
    pause.wait();
  }
  return nullptr;
}

}  // namespace percale_cli

// Streams over gRPC, on loopback.
#include <doctest/doctest.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/unit/remote/endpoint.h"
#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/net/certificate_folder.h"

namespace percale::remote {
namespace {

ByteVector bytes_of(size_t size) {
  ByteVector out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 13 + (i >> 9));
  return out;
}

// The reason why the process at the address does not answer, which must come within two seconds.
std::string refusal(const std::string& address, const Credentials& credentials) {
  const auto start = std::chrono::steady_clock::now();
  Opened opened(address, credentials);
  opened.send(bytes_of(10));
  const std::string reason = opened.end->reason();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
  return reason;
}

}  // namespace

TEST_CASE("messages of all sizes arrive on both sides as they were sent, with and without certificates") {
  const CertificateFolder folder;
  for (const Credentials& credentials : {Credentials(), read_credentials(folder.path())}) {
    Endpoints endpoints(credentials);
    Opened opened(endpoints.address(), credentials);
    const size_t sizes[] = {0, 1, 1000, (size_t{1} << 20) + 40, kMaxMessageBytes, 7};
    for (const size_t size : sizes) opened.send(bytes_of(size));
    const std::shared_ptr<Endpoint> end = endpoints.end(0);
    for (size_t i = 0; i < std::size(sizes); ++i) {
      const ByteVector arrived = end->message(i);
      CHECK(arrived == bytes_of(sizes[i]));
      const std::span<const std::byte> all(arrived);
      end->stream()->send(all.first(arrived.size() / 3), all.subspan(arrived.size() / 3));
    }
    for (size_t i = 0; i < std::size(sizes); ++i) CHECK(opened.end->message(i) == bytes_of(sizes[i]));
    opened.stream->close();
    CHECK(opened.end->reason().empty());
    CHECK(end->reason().empty());
    end->forget_stream();
  }
}

TEST_CASE("a message that is too large ends the stream on both sides, with a reason") {
  Endpoints endpoints;
  Opened opened(endpoints.address());
  opened.send(bytes_of(kMaxMessageBytes + 1));
  CHECK(contains(opened.end->reason(), "larger than max"));
  CHECK_FALSE(endpoints.end(0)->reason().empty());
  endpoints.end(0)->forget_stream();
  Opened other(endpoints.address());
  const std::shared_ptr<Endpoint> end = endpoints.end(1);
  end->stream()->send(bytes_of(kMaxMessageBytes + 1), {});
  CHECK(contains(other.end->reason(), "larger than max"));
  CHECK_FALSE(end->reason().empty());
  end->forget_stream();
}

TEST_CASE("a purpose that a process does not know is refused by name") {
  Endpoints endpoints;
  Opened opened(endpoints.address(), {}, "/test/Other");
  CHECK(contains(opened.end->reason(), "this process does not answer /test/Other"));
  CHECK(endpoints.count() == 0);
}

TEST_CASE("peers with other or no certificates are refused, and the reason says so") {
  const CertificateFolder folder, other;
  const Credentials own = read_credentials(folder.path()), foreign = read_credentials(other.path());
  Endpoints secure(own), plain;
  for (const std::string& reason :
       {refusal(secure.address(), {}), refusal(secure.address(), foreign),
        refusal(secure.address(), {own.authority, "", ""}), refusal(plain.address(), own)}) {
    CHECK_MESSAGE(contains(reason, "a process with other certificates"), reason);
  }
  CHECK(secure.count() == 0);
  CHECK(plain.count() == 0);
}

TEST_CASE("a process that is not there is a reason, too") {
  std::string address;
  {
    const Endpoints endpoints;
    address = endpoints.address();
  }
  CHECK(contains(refusal(address, {}), "Connection refused"));
}

TEST_CASE("an address that is taken cannot be listened at") {
  Endpoints endpoints;
  CHECK(contains(failure_of([&] { Listener(endpoints.address(), {}, nullptr); }), "cannot listen at 127.0.0.1:"));
}

TEST_CASE("each way to end a stream is told to both sides once") {
  Endpoints endpoints;
  size_t number = 0;
  for (const bool here : {true, false}) {
    for (const bool aborts : {true, false}) {
      Opened opened(endpoints.address());
      opened.send(bytes_of(9));
      const std::shared_ptr<Endpoint> end = endpoints.end(number++);
      end->message(0);
      const std::shared_ptr<Stream> ending = here ? opened.stream : end->stream();
      aborts ? ending->abort() : ending->close();
      CHECK(opened.end->reason().empty() == !aborts);
      CHECK(end->reason().empty() == !aborts);
      CHECK((here ? opened.end : end)->reason() == (aborts ? "this process has ended it" : ""));
      // A stream that has ended takes everything and does nothing.
      for (const auto& stream : {opened.stream, end->stream()}) {
        stream->send(bytes_of(5), {});
        stream->read_next();
        stream->close();
        stream->abort();
      }
      end->forget_stream();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      CHECK(opened.end->closings() == 1);
      CHECK(end->closings() == 1);
    }
  }
}

TEST_CASE("both sides may end a stream at the same time") {
  Endpoints endpoints;
  for (size_t i = 0; i < 100; ++i) {
    Opened opened(endpoints.address());
    opened.send(bytes_of(9));
    const std::shared_ptr<Endpoint> end = endpoints.end(i);
    std::thread other([&] { i % 2 == 0 ? end->stream()->abort() : end->stream()->close(); });
    i % 4 < 2 ? opened.stream->abort() : opened.stream->close();
    other.join();
    opened.end->reason();
    end->reason();
    end->forget_stream();
  }
}

TEST_CASE("a thousand streams of a connection come and go") {
  Endpoints endpoints;
  Connection connection(endpoints.address(), {});
  for (size_t i = 0; i < 1000; ++i) {
    const auto end = std::make_shared<Endpoint>();
    const std::shared_ptr<Stream> stream = connection.open("/test/Collect", end);
    end->attach(stream);
    stream->send(bytes_of(100), {});
    if (i % 3 == 0) {
      stream->abort();
    } else {
      stream->close();
      CHECK(end->reason().empty());
    }
    end->reason();
    end->forget_stream();
  }
  for (size_t i = 0; i < endpoints.count(); ++i) {
    endpoints.end(i)->reason();
    endpoints.end(i)->forget_stream();
  }
}

TEST_CASE("an exception that leaves an event ends the stream, and the process goes on") {
  class Throws final : public StreamEvents {
   public:
    explicit Throws(bool no_memory) : no_memory_(no_memory) {}
    void on_message(Message) override {
      if (no_memory_) throw std::bad_alloc();
      throw std::runtime_error("a mistake");
    }
    void on_closed(const std::string&) override { throw std::bad_alloc(); }

   private:
    const bool no_memory_;
  };
  for (const bool no_memory : {true, false}) {
    const Listener listener("127.0.0.1:0", {},
                            [&](const std::string&, const std::shared_ptr<Stream>&) -> std::shared_ptr<StreamEvents> {
                              return std::make_shared<Throws>(no_memory);
                            });
    Opened opened("127.0.0.1:" + std::to_string(listener.port()));
    opened.send(bytes_of(3));
    CHECK_FALSE(opened.end->reason().empty());
  }
  const Listener listener("127.0.0.1:0", {},
                          [](const std::string&, const std::shared_ptr<Stream>&) -> std::shared_ptr<StreamEvents> {
                            throw std::bad_alloc();
                          });
  Opened opened("127.0.0.1:" + std::to_string(listener.port()));
  CHECK(contains(opened.end->reason(), "out of memory"));
}

}  // namespace percale::remote

// Writes the first inputs of the fuzz targets of messages between processes (tests/fuzz/remote):
// make_remote FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/file/crc32c.h"
#include "devices/remote/bulk/ring.h"
#include "devices/remote/frame/frame.h"
#include "devices/remote/group/exchange.h"
#include "tests/unit/remote/fake_link.h"

namespace {

using namespace percale::remote;

// See tests/fuzz/remote/input.h.
std::string step(int kind, const ByteVector& bytes) {
  std::string out = {static_cast<char>(kind), static_cast<char>(bytes.size() & 0xFF),
                     static_cast<char>(bytes.size() >> 8)};
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

template <class T>
std::string control(T body, int kind = 0) {
  RecordingStream stream;
  tell(stream, std::move(body));
  return step(kind, stream.message(0));
}

std::string chunk(int kind, uint64_t tag, size_t size, uint64_t offset, uint64_t total) {
  const ByteVector body(size, std::byte{3});
  const wire::Chunk head =
      chunk_head(7, tag, offset, total, percale::crc32c(body.data(), body.size()), 0, &percale::crc32c);
  return step(kind, join(std::as_bytes(std::span(&head, 1)), body));
}

std::string run(std::initializer_list<int> tag_and_sizes) {
  ByteVector bytes;
  for (const int one : tag_and_sizes) bytes.push_back(static_cast<std::byte>(one));
  return step(2, bytes);
}

wire::HelloT hello() {
  wire::HelloT out;
  out.protocol = kProtocol;
  out.build = "fuzz";
  out.rank = 1;
  out.size = 2;
  out.port = 80;
  return out;
}

wire::RefusalT refusal(const char* message) {
  wire::RefusalT out;
  out.code = PERCALE_UNAVAILABLE;
  out.message = message;
  return out;
}

// A message to or of a served device. 1: on its first stream, 5: on one for commands.
template <class T>
std::string frame(int kind, T body, const ByteVector& raw = {}) {
  const auto checksum = static_cast<Checksum>(&percale::crc32c);
  std::vector<std::byte> head = pack_frame(std::move(body), raw, checksum);
  seal_frame(head, 0, checksum);
  return step(kind, join(head, raw));
}

void write(const std::string& folder, const char* name, const std::string& bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
}

// The head of a message on a stream with shared memory.
std::string parcel(wire::ParcelKind kind, uint32_t bytes, const ByteVector& rest, int kind_of_step = 0) {
  const wire::Parcel draft(kind, bytes, 0);
  const wire::Parcel front(kind, bytes, percale::crc32c(&draft, 8));
  return step(kind_of_step, join(std::as_bytes(std::span(&front, 1)), rest));
}

// The first message of a link.
template <class T>
std::string opens_link(T body) {
  RecordingStream stream;
  tell(stream, std::move(body));
  return parcel(wire::ParcelKind_Whole, 0, stream.message(0), 16);
}

void write_control(const std::string& folder) {
  const std::string chief(1, '\0'), member(1, '\1');
  wire::HelloT other = hello();
  other.host = "localhost:80";
  other.build = "other";
  wire::FailedT failed;
  failed.harmed = {0};
  failed.unreached = {1, 7};
  write(folder, "joins", chief + control(hello()) + control(wire::BeatT()) + control(failed) + control(wire::LeaveT()));
  write(folder, "refused", chief + control(other) + control(hello(), 1) + control(hello()));
  write(folder, "closes", chief + control(hello()) + step(2, {}) + control(hello()) + step(2, ByteVector(1)));
  wire::GreetingT greeting;
  greeting.generation = 7;
  write(folder, "greeting", chief + control(greeting));
  wire::WelcomeT welcome;
  welcome.generation = 7;
  welcome.addresses = {"localhost:80", "localhost:81"};
  wire::FailingT failing;
  failing.reason = "rank 0 is lost";
  wire::LostT lost;
  lost.ranks = {0};
  wire::LostT repeat;
  repeat.again = {0};
  write(folder, "welcome", member + control(welcome) + control(wire::BeatT()) + control(failing) + control(lost));
  write(folder, "repeat", member + control(welcome) + control(failing) + control(repeat) + control(failing));
  write(folder, "refusal", member + control(refusal("why")));
  write(folder, "dismissed", member + control(welcome) + control(refusal("why")));
  write(folder, "chief_leaves", member + control(welcome) + control(wire::LeaveT()));
}

void write_chunk(const std::string& folder) {
  const std::string ten = run({1, 0, 4, 4, 0, 10, 0}), nothing = run({1, 0, 0, 0, 0, 0, 0});
  write(folder, "whole", chunk(1, 1, 10, 0, 10) + ten + step(3, {}) + nothing);
  write(folder, "both_ranks", chunk(0, 1, 10, 0, 10) + chunk(8, 1, 5, 0, 5) + run({1, 0, 0, 0, 0, 10, 5}));
  write(folder, "early", chunk(1, 2, 10, 0, 10) + nothing + ten);
  write(folder, "older", ten + chunk(1, 1, 10, 0, 10) + chunk(1, 2, 10, 0, 10) + ten);
  write(folder, "wrong_size", chunk(1, 1, 9, 0, 9) + ten);
  write(folder, "wrong_offset", chunk(1, 1, 5, 6, 10) + ten);
  write(folder, "short", step(0, ByteVector(9)) + ten);
  write(folder, "closes", step(4, {}) + step(12, ByteVector(1)) + ten + step(14, ByteVector(1)) + nothing);
  write(folder, "renews", chunk(0, 1, 10, 0, 10) + step(6, ByteVector(2)) + chunk(1, 1, 10, 0, 10) + ten);
  write(folder, "beats", chunk(1, 0, 0, 0, 0) + step(7, ByteVector(9)) + ten + step(7, ByteVector(11)) + nothing);
  wire::GreetingT greeting;
  greeting.generation = 7;
  greeting.rank = 1;
  write(folder, "stranger", opens_link(greeting) + opens_link(wire::BeatT()) + opens_link(greeting) + ten);
  write(folder, "fails", step(5, {}) + ten + step(6, {}) + chunk(1, 1, 10, 0, 10) + ten);
}

wire::OpenT open() {
  wire::OpenT out;
  out.protocol = kProtocol;
  out.build = "fuzz";
  out.device = "cpu:0";
  return out;
}

wire::AllocateT allocate(uint64_t bytes) {
  wire::AllocateT out;
  out.bytes = bytes;
  return out;
}

// A command of one address, which is the first one that the server gives out.
template <class T>
T at_first(T command) {
  command.address = uint64_t{1} << 56;
  return command;
}

void write_device(const std::string& folder) {
  const std::string queue = step(2, {});
  wire::ReadT read = at_first(wire::ReadT());
  read.bytes = 100;
  wire::MarkT mark;
  mark.forgets_error = true;
  wire::ExecuteT execute;
  execute.executable = 1;
  execute.inputs = execute.outputs = {uint64_t{1} << 56};
  wire::OpenQueueT stranger;
  stranger.client = 7;
  wire::DiscardT discard;
  discard.executable = 1;
  ByteVector graph;
  for (const char c : std::string("copy 64")) graph.push_back(static_cast<std::byte>(c));
  wire::OpenT list = open();
  list.device = "";
  const std::string opened = frame(1, open()) + frame(1, allocate(128)) + queue;
  write(folder, "copies",
        opened + frame(5, at_first(wire::WriteT()), ByteVector(100)) + frame(5, read) + frame(5, mark));
  write(folder, "executes",
        opened + frame(1, wire::UploadT(), graph) + frame(1, wire::CompileT()) + frame(5, execute) + frame(5, mark) +
            frame(1, discard) + frame(5, execute) + frame(5, wire::MarkT()));
  write(folder, "frees",
        opened + frame(1, at_first(wire::FreeT())) + frame(5, read) + frame(5, mark) + frame(1, wire::BeatT()) +
            frame(1, wire::LeaveT()));
  write(folder, "breaks",
        opened + step(3, {}) + frame(5, read) + frame(1, open()) + frame(1, allocate(1 << 20)) + step(7, {}));
  write(folder, "lists", frame(1, list));
  write(folder, "stranger", frame(1, open()) + frame(5, stranger));
  write(folder, "changed", frame(0, open()) + step(0, ByteVector(9)) + frame(4, mark));
}

void write_parcel(const std::string& folder) {
  const ByteVector text(20, std::byte{4}), body(3000, std::byte{5});
  const std::string offers = step(2, {}), puts = step(3, body), sends = step(4, text), takes = step(5, {});
  const wire::RingOffer nowhere(1, 2, 3, 4, 1000, 0);
  const auto raw = std::as_bytes(std::span(&nowhere, 1));
  write(folder, "whole", parcel(wire::ParcelKind_Whole, 0, text));
  write(folder, "bodies", offers + puts + puts + puts + parcel(wire::ParcelKind_Whole, 0, text));
  write(folder, "nowhere", parcel(wire::ParcelKind_Offer, 0, ByteVector(raw.begin(), raw.end())) + puts);
  write(folder, "without",
        parcel(wire::ParcelKind_Headed, 100, text) + offers + parcel(wire::ParcelKind_Headed, 100, text));
  write(folder, "twice", offers + offers + puts);
  write(folder, "short", step(0, ByteVector(9)) + parcel(wire::ParcelKind_Offer, 0, text));
  write(folder, "sends", sends + takes + sends + sends + sends + sends + sends);
  write(folder, "scribbles", sends + takes + sends + step(6, ByteVector(80, std::byte{255})) + sends + sends);
}

wire::AnswerT answer(percale_code code = PERCALE_OK) {
  wire::AnswerT out;
  out.code = static_cast<uint32_t>(code);
  out.value = code == PERCALE_OK ? uint64_t{1} << 56 : 0;
  return out;
}

wire::DoneT done(percale_code code = PERCALE_OK, const char* message = "") {
  wire::DoneT out;
  out.code = static_cast<uint32_t>(code);
  out.message = message;
  return out;
}

// The calls of tests/fuzz/remote/fuzz_answers.cc, which end with the answers behind them.
void write_answers(const std::string& folder) {
  wire::OpenedT facts;
  facts.client = 7;
  facts.model = "a test";
  facts.memory_bytes = 4096;
  wire::CompiledT compiled;
  compiled.executable = compiled.inputs = compiled.outputs = 1;
  wire::DevicesT devices;
  devices.names = {"cpu:0"};
  const ByteVector ten(10);
  const std::string opened = frame(1, facts), allocates = step(8, ten) + frame(1, answer()),
                    opens = step(10, {}) + frame(5, answer()), reads = step(12, ten), executes = step(13, {}),
                    signals = step(14, {}), waits = step(14, ten), closes = step(15, ten);
  const std::string data = frame(5, wire::DataT(), ten);
  write(folder, "works",
        opened + allocates + step(9, ten) + frame(1, compiled) + opens + step(11, ten) + executes + reads + signals +
            waits + data + frame(5, done()) + frame(5, done()) + closes);
  write(folder, "without_a_stream",
        opened + allocates + reads + frame(5, answer()) + data + frame(5, done()) + step(11, ten) + frame(5, done()));
  write(folder, "two_streams",
        opened + opens + step(10, {}) + frame(16 + 5, answer()) + step(16 + 12, ten) + step(16 + 14, ten) +
            frame(16 + 5, wire::DataT(), ten) + frame(16 + 5, done()));
  write(folder, "refused", frame(1, refusal("why")));
  write(folder, "refused_stream", opened + step(10, {}) + frame(5, refusal("why")) + step(6, {}));
  write(folder, "errors",
        opened + step(8, ten) + frame(1, answer(PERCALE_RESOURCE_EXHAUSTED)) + opens + reads + waits +
            frame(5, done(PERCALE_OUT_OF_RANGE, "why")) + waits + frame(5, done()));
  write(folder, "changed", opened + opens + reads + waits + step(4, ByteVector(9)));
  write(folder, "unasked", opened + opens + data + frame(1, wire::BeatT()) + waits + frame(5, wire::BeatT()));
  write(folder, "lists", frame(1, devices));
  write(folder, "breaks", opened + opens + reads + signals + step(2, ByteVector(1)) + allocates);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_remote FOLDER\n", stderr);
    return 2;
  }
  write_answers(std::string(argv[1]) + "/answers");
  write_control(std::string(argv[1]) + "/control");
  write_chunk(std::string(argv[1]) + "/chunk");
  write_device(std::string(argv[1]) + "/device");
  write_parcel(std::string(argv[1]) + "/parcel");
  return 0;
}

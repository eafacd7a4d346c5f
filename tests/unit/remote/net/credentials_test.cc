#include "devices/remote/net/credentials.h"

#include <doctest/doctest.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "devices/remote/net/address.h"
#include "devices/remote/net/certificates.h"
#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/net/certificate_folder.h"

namespace percale::remote {
namespace {

template <class T, void (*end)(T*)>
struct Freed {
  void operator()(T* it) const { end(it); }
};
using X509Pointer = std::unique_ptr<X509, Freed<X509, X509_free>>;

X509Pointer read_certificate(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  X509Pointer out(PEM_read_X509(file, nullptr, nullptr, nullptr));
  std::fclose(file);
  REQUIRE(out != nullptr);
  return out;
}

// True if OpenSSL trusts the folder's certificate for the purpose, given the authority of another
// folder, which may be the same.
bool is_trusted(const std::string& folder, const std::string& authority_folder, int purpose) {
  const X509Pointer node = read_certificate(folder + "/node.pem");
  const X509Pointer authority = read_certificate(authority_folder + "/ca.pem");
  const std::unique_ptr<X509_STORE, Freed<X509_STORE, X509_STORE_free>> store(X509_STORE_new());
  const std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX, X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  REQUIRE(X509_STORE_add_cert(store.get(), authority.get()) == 1);
  REQUIRE(X509_STORE_CTX_init(context.get(), store.get(), node.get(), nullptr) == 1);
  X509_VERIFY_PARAM* const param = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
  REQUIRE(X509_VERIFY_PARAM_set1_host(param, kCertificateName, 0) == 1);
  REQUIRE(X509_STORE_CTX_set_purpose(context.get(), purpose) == 1);
  return X509_verify_cert(context.get()) == 1;
}

mode_t mode_of(const std::string& path) {
  struct stat found;
  REQUIRE(stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777;
}

}  // namespace

TEST_CASE("no folder means no certificates") { CHECK_FALSE(read_credentials("").secure()); }

TEST_CASE("certificates that were made can be read, and only their owner may read the key") {
  const CertificateFolder folder;
  const Credentials credentials = read_credentials(folder.path());
  CHECK(credentials.secure());
  CHECK(credentials.authority.starts_with("-----BEGIN CERTIFICATE-----"));
  CHECK(credentials.certificate.starts_with("-----BEGIN CERTIFICATE-----"));
  CHECK(credentials.key.starts_with("-----BEGIN PRIVATE KEY-----"));
  CHECK((mode_of(folder.path() + "/node.key") & 077) == 0);
  CHECK((mode_of(folder.path() + "/node.pem") & 0700) == 0600);
  CHECK((mode_of(folder.path() + "/ca.pem") & 0700) == 0600);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 3);
}

TEST_CASE("a missing or empty file is named, with the reason") {
  for (const char* name : {"ca.pem", "node.pem", "node.key"}) {
    const CertificateFolder folder;
    const std::string path = folder.path() + "/" + name;
    std::filesystem::remove(path);
    CHECK(contains(failure_of([&] { read_credentials(folder.path()); }),
                   path + " cannot be read (No such file or directory); a folder of certificates has ca.pem"));
    std::ofstream{path};
    CHECK(contains(failure_of([&] { read_credentials(folder.path()); }), path + " cannot be read (it is empty)"));
  }
}

TEST_CASE("a key that every user may read is refused, one that a group may read is not") {
  const CertificateFolder folder;
  const std::string key = folder.path() + "/node.key";
  REQUIRE(chmod(key.c_str(), 0644) == 0);
  CHECK(contains(failure_of([&] { read_credentials(folder.path()); }), "remedy: chmod 600 " + key));
  REQUIRE(chmod(key.c_str(), 0640) == 0);
  CHECK(read_credentials(folder.path()).secure());
}

TEST_CASE("certificates are not made in a folder that is not empty, or cannot be made") {
  const CertificateFolder folder;
  CHECK(contains(failure_of([&] { make_certificates(folder.path()); }), folder.path() + " is not empty"));
  CHECK(contains(failure_of([&] { make_certificates(folder.path() + "/ca.pem/inner"); }), "Not a directory"));
  CHECK(failure_of([&] { make_certificates(folder.path() + "/a/b"); }).empty());
}

TEST_CASE("OpenSSL trusts a certificate for both sides, with its own authority alone") {
  const CertificateFolder one, other;
  for (const int purpose : {X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT}) {
    CHECK(is_trusted(one.path(), one.path(), purpose));
    CHECK_FALSE(is_trusted(one.path(), other.path(), purpose));
  }
  CHECK_FALSE(is_trusted(one.path(), one.path(), X509_PURPOSE_SMIME_SIGN));
}

TEST_CASE("addresses of this machine are told from others") {
  for (const char* local :
       {"localhost:1", "127.0.0.1:80", "127.9.9.9:80", "[::1]:443", "unix:/tmp/socket", "127.0.0.1"})
    CHECK_MESSAGE(is_local(local), local);
  for (const char* remote : {"", ":80", "10.0.0.2:80", "127.example.com:80", "localhost.example.com:80", "[::2]:80",
                             "0.0.0.0:80", "[::]:80", "example.com", "128.0.0.1:80", "xunix:/tmp/socket"})
    CHECK_MESSAGE(!is_local(remote), remote);
}

TEST_CASE("without certificates only addresses of this machine may be reached") {
  CHECK(failure_of([] { check_may_reach({}, "127.0.0.1:80"); }).empty());
  CHECK(failure_of([] { check_may_reach({"a", "b", "c"}, "10.0.0.2:80"); }).empty());
  const std::string refusal = failure_of([] { check_may_reach({}, "10.0.0.2:80"); });
  CHECK(contains(refusal, "the address 10.0.0.2:80 is not on this machine, and there are no certificates"));
  CHECK(contains(refusal, "PERCALE_CERTIFICATES"));
  CHECK(contains(refusal, "percale-worker --make-certificates DIR"));
}

TEST_CASE("the host of a peer is taken from its address, and ways within this machine are one") {
  CHECK(host_of_peer("ipv4:10.0.0.2:4711") == "10.0.0.2");
  CHECK(host_of_peer("ipv6:%5B2001:db8::1%5D:4711") == "[2001:db8::1]");
  CHECK(host_of_peer("ipv6:%5B::1%5D:4711") == "127.0.0.1");
  CHECK(host_of_peer("unix:") == "127.0.0.1");
  CHECK(host_of_peer("unix:/tmp/socket") == "127.0.0.1");
  CHECK(join_address("[2001:db8::1]", 80) == "[2001:db8::1]:80");
  CHECK(port_of("[2001:db8::1]:80") == 80);
  CHECK(port_of("host") == 0);
  CHECK(port_of("host:x") == 0);
}

}  // namespace percale::remote

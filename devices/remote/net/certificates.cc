#include "devices/remote/net/certificates.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/net/credentials.h"

namespace percale::remote {
namespace {

constexpr long kSeconds = 3650L * 24 * 3600;
constexpr long kClockSkew = 3600;  // clocks of machines differ

template <class T, void (*end)(T*)>
struct Ended {
  void operator()(T* it) const { end(it); }
};
using Key = std::unique_ptr<EVP_PKEY, Ended<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Ended<X509, X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Ended<X509_EXTENSION, X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, Ended<BIO, BIO_free_all>>;

// OpenSSL's functions return 1, or a pointer, on success.
void check(bool good, const char* what) {
  if (good) return;
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  throw plugin::Failure(PERCALE_INTERNAL, std::string("the certificates: ") + what + ": " + text);
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  check(key != nullptr, "making a key");
  return key;
}

void set_name(X509_NAME* name, const char* text) {
  check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text), -1, -1, 0) ==
            1,
        "naming a certificate");
}

void add_extension(X509* certificate, X509* issuer, int kind, const char* text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, text));
  check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, "extending a certificate");
}

// A certificate without extensions and signature. 128 random bits as its number.
Certificate begin_certificate(const char* name, EVP_PKEY* key) {
  Certificate out(X509_new());
  check(out != nullptr && X509_set_version(out.get(), X509_VERSION_3) == 1, "making a certificate");
  unsigned char bits[16];
  check(RAND_bytes(bits, sizeof bits) == 1, "drawing a number");
  bits[0] &= 0x7F;
  const std::unique_ptr<BIGNUM, Ended<BIGNUM, BN_free>> number(BN_bin2bn(bits, sizeof bits, nullptr));
  check(number != nullptr && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(out.get())) != nullptr,
        "numbering a certificate");
  check(X509_gmtime_adj(X509_getm_notBefore(out.get()), -kClockSkew) != nullptr &&
            X509_gmtime_adj(X509_getm_notAfter(out.get()), kSeconds) != nullptr && X509_set_pubkey(out.get(), key) == 1,
        "filling a certificate");
  set_name(X509_get_subject_name(out.get()), name);
  return out;
}

void sign(X509* certificate, X509* issuer, EVP_PKEY* key) {
  check(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
            X509_sign(certificate, key, EVP_sha256()) != 0,
        "signing a certificate");
}

// The text that `write(bio)` writes.
template <class F>
std::string pem(F&& write) {
  const Bio bio(BIO_new(BIO_s_mem()));
  check(bio != nullptr && write(bio.get()) == 1, "writing PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

void write_file(const std::string& path, std::string_view text, mode_t mode) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  const bool good =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!good) throw plugin::Failure(PERCALE_UNAVAILABLE, "the certificates: " + path + ": " + std::strerror(error));
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_empty(folder, error) && !error) {
    throw plugin::Failure(PERCALE_ALREADY_EXISTS, "the certificates: the folder " + folder +
                                                      " is not empty; name another one, or remove what is in it");
  }
  if (error) throw plugin::Failure(PERCALE_UNAVAILABLE, "the certificates: " + folder + ": " + error.message());
}

}  // namespace

void make_certificates(const std::string& folder) {
  const Key authority_key = make_key(), key = make_key();
  const Certificate authority = begin_certificate("Percale cluster", authority_key.get());
  add_extension(authority.get(), authority.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(authority.get(), authority.get(), NID_key_usage, "critical,keyCertSign");
  add_extension(authority.get(), authority.get(), NID_subject_key_identifier, "hash");
  add_extension(authority.get(), authority.get(), NID_authority_key_identifier, "keyid:always");
  sign(authority.get(), authority.get(), authority_key.get());
  const Certificate node = begin_certificate(kCertificateName, key.get());
  add_extension(node.get(), authority.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(node.get(), authority.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(node.get(), authority.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  // Strict verifiers want both numbers.
  add_extension(node.get(), authority.get(), NID_subject_key_identifier, "hash");
  add_extension(node.get(), authority.get(), NID_authority_key_identifier, "keyid:always");
  add_extension(node.get(), authority.get(), NID_subject_alt_name, (std::string("DNS:") + kCertificateName).c_str());
  sign(node.get(), authority.get(), authority_key.get());

  make_folder(folder);
  const std::string base = folder + "/";
  write_file(base + kAuthorityFile, pem([&](BIO* bio) { return PEM_write_bio_X509(bio, authority.get()); }), 0644);
  write_file(base + kCertificateFile, pem([&](BIO* bio) { return PEM_write_bio_X509(bio, node.get()); }), 0644);
  write_file(base + kKeyFile, pem([&](BIO* bio) {
               return PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
             }),
             0600);
}

}  // namespace percale::remote

// Makes the certificates of a private cluster.
#ifndef PERCALE_DEVICES_REMOTE_NET_CERTIFICATES_H_
#define PERCALE_DEVICES_REMOTE_NET_CERTIFICATES_H_

#include <string>

namespace percale::remote {

// Makes an authority whose key is thrown away, and a key with a certificate that all processes of
// the cluster share, and writes them to the folder, which must be empty or not exist. They are
// valid for ten years. Throws Failure.
void make_certificates(const std::string& folder);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_CERTIFICATES_H_

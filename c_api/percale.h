/**
 * Percale: trains and serves deep-learning models inside any host process.
 *
 * The application API, C99. Every function is thread-safe unless its type says otherwise.
 */
#ifndef PERCALE_H_
#define PERCALE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PERCALE_API
#else
#define PERCALE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is loaded, as "major.minor.patch". NUL-ended, static. \since 0.1 */
PERCALE_API const char* percale_version(void);

/** The version of the ABI: major * 1000 + minor. Functions are only ever added within a major. \since 0.1 */
PERCALE_API uint32_t percale_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_H_ */

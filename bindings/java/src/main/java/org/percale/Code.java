package org.percale;

/** The kind of an error: the canonical codes of gRPC. */
public enum Code {
  /** No error. */
  OK,
  /** The run was cancelled. */
  CANCELLED,
  /** Another error, or a code that this package does not know yet. */
  UNKNOWN,
  /** An argument is invalid in any state: a shape, a type, the name of an op. */
  INVALID_ARGUMENT,
  /** The time limit was exceeded. */
  DEADLINE_EXCEEDED,
  /** A file, a name or an option does not exist. */
  NOT_FOUND,
  /** The name already exists. */
  ALREADY_EXISTS,
  /** The operating system denies it. */
  PERMISSION_DENIED,
  /** Memory is exhausted, or a memory limit is reached. */
  RESOURCE_EXHAUSTED,
  /** The call is not allowed in the current state. */
  FAILED_PRECONDITION,
  /** A callback ended the call. */
  ABORTED,
  /** A number is out of range, or the data ended. */
  OUT_OF_RANGE,
  /** Not implemented: an op without a kernel, a format without an importer. */
  UNIMPLEMENTED,
  /** A bug in the library. */
  INTERNAL,
  /** A device or a peer cannot be reached. */
  UNAVAILABLE,
  /** A file is damaged. */
  DATA_LOSS,
  /** A peer is not authenticated. */
  UNAUTHENTICATED;

  static Code of(int number) {
    Code[] all = values();
    return number >= 0 && number < all.length ? all[number] : UNKNOWN;
  }
}

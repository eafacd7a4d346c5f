package org.percale;

/** What kind of error it is: the canonical codes of gRPC. */
public enum Code {
  /** No error. */
  OK,
  /** The run was cancelled. */
  CANCELLED,
  /** An error of another kind, or a code that this package does not know yet. */
  UNKNOWN,
  /** An argument that cannot be right: a shape, a type, a name of an op. */
  INVALID_ARGUMENT,
  /** The time that was given ran out. */
  DEADLINE_EXCEEDED,
  /** A file, a name or an option that is not there. */
  NOT_FOUND,
  /** Something of that name is there already. */
  ALREADY_EXISTS,
  /** The operating system refuses it. */
  PERMISSION_DENIED,
  /** Memory, or a limit of memory, ran out. */
  RESOURCE_EXHAUSTED,
  /** Right as such, but not in this state. */
  FAILED_PRECONDITION,
  /** A callback ended it. */
  ABORTED,
  /** A number outside of its range, or the end of the data. */
  OUT_OF_RANGE,
  /** Nobody can do it: an op without a kernel, a format without an importer. */
  UNIMPLEMENTED,
  /** An error of the library itself. */
  INTERNAL,
  /** A device or a peer is out of reach. */
  UNAVAILABLE,
  /** A file that is damaged. */
  DATA_LOSS,
  /** A peer that does not say who it is. */
  UNAUTHENTICATED;

  static Code of(int number) {
    Code[] all = values();
    return number >= 0 && number < all.length ? all[number] : UNKNOWN;
  }
}

package org.percale;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Files that a program reads for the library: from an archive, a database, or decrypted on the way.
 * {@link Engine.Builder#files} gives them to an engine. Several threads may call the methods at a
 * time.
 *
 * <p>The call that reads, such as {@link Graph#load}, throws a {@link PercaleException} for an
 * exception, with the path in front of its message: with NOT_FOUND for NoSuchFileException and
 * FileNotFoundException, PERMISSION_DENIED for AccessDeniedException, UNAVAILABLE for another
 * IOException, the code of a PercaleException, and ABORTED for any other.
 */
public interface FileReader {
  /**
   * Returns the size of a file.
   *
   * @param name the path without "host:"
   * @return bytes
   * @throws IOException if there is no such file, or it cannot be read
   */
  long size(String name) throws IOException;

  /**
   * Fills the remaining bytes of the buffer, which lie within the size of the file. The buffer must
   * not be used after the return. Large files are read in pieces.
   *
   * @param name the path without "host:"
   * @param offset the first byte
   * @param buffer the memory
   * @throws IOException if it cannot be read
   */
  void read(String name, long offset, ByteBuffer buffer) throws IOException;
}

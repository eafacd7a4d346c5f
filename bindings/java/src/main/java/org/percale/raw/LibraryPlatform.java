package org.percale.raw;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * Says what a library was built for, for the message about one that the system refuses to load, and
 * for the choice among the libraries of a jar. {@code core/file/library_platform} does the same for
 * plug-ins.
 */
final class LibraryPlatform {
  // By the processor's number in ELF, PE and Mach-O files.
  private static final Map<Integer, String> ELF =
      Map.of(0x3e, "x86-64", 0xb7, "arm64", 0x03, "x86 of 32 bits", 0x28, "arm of 32 bits", 0xf3, "RISC-V");
  private static final Map<Integer, String> PE = Map.of(0x8664, "x86-64", 0xaa64, "arm64", 0x014c, "x86 of 32 bits");
  private static final Map<Integer, String> MACH_O = Map.of(0x01000007, "x86-64", 0x0100000c, "arm64");
  private static final int ELF_MAGIC = 0x464c457f;
  private static final int MACH_O_MAGIC = 0xfeedfacf;
  private static final int PE_MAGIC = 0x00004550;

  private LibraryPlatform() {}

  /**
   * Returns such as "Linux on arm64 with musl"; "" for a file that is no library or program, or
   * cannot be read.
   */
  static String of(String path) {
    try (FileChannel file = FileChannel.open(Path.of(path))) {
      ByteBuffer data = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).order(ByteOrder.LITTLE_ENDIAN);
      int magic = data.getInt(0);
      if (magic == ELF_MAGIC) {
        return named("Linux", ELF, data.getShort(18) & 0xffff) + libraryOfC(data);
      }
      if (magic == MACH_O_MAGIC) {
        return named("macOS", MACH_O, data.getInt(4));
      }
      int header = (magic & 0xffff) == 0x5a4d ? data.getInt(0x3c) : -1;
      return header >= 0 && data.getInt(header) == PE_MAGIC ? named("Windows", PE, data.getShort(header + 4) & 0xffff) : "";
    } catch (IOException | IndexOutOfBoundsException | IllegalArgumentException | UnsupportedOperationException error) {
      return "";
    }
  }

  /** Returns the platform of this process; "" if the system does not tell its program. */
  static String ofProcess() {
    return ProcessHandle.current().info().command().map(LibraryPlatform::of).orElse("");
  }

  /**
   * Returns "it is for ..., and this process runs on ..." if the library at a path is for another
   * platform than this process, else "".
   */
  static String other(String path) {
    String found = of(path);
    String wanted = ofProcess();
    // A file that names no C library does not differ by it.
    if (found.isEmpty() || wanted.isEmpty() || found.startsWith(wanted) || wanted.startsWith(found)) {
      return "";
    }
    return "it is for " + found + ", and this process runs on " + wanted;
  }

  private static String named(String system, Map<Integer, String> processors, int number) {
    return system + " on " + processors.getOrDefault(number, "another processor");
  }

  /** The names of needed libraries are texts of the file, each with a NUL before and after it. */
  private static String libraryOfC(ByteBuffer data) {
    if (contains(data, "\0libc.so.6\0")) {
      return " with glibc";
    }
    return contains(data, "\0libc.so\0") || contains(data, "\0libc.musl-") ? " with musl" : "";
  }

  private static boolean contains(ByteBuffer data, String text) {
    ByteBuffer wanted = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    for (int at = 0; at <= data.limit() - wanted.limit(); ++at) {
      if (data.get(at) == 0 && data.duplicate().position(at).limit(at + wanted.limit()).mismatch(wanted) < 0) {
        return true;
      }
    }
    return false;
  }
}

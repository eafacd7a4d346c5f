package org.percale.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Libraries for other platforms. */
final class LibraryPlatformTest {
  @TempDir Path folder;

  private String file(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("library"), bytes).toString();
  }

  /** The beginning of an ELF file for a processor, and the name of a library that it needs. */
  private static byte[] elf(int processor, String needed) {
    byte[] text = ("\0" + needed + "\0").getBytes(StandardCharsets.US_ASCII);
    byte[] out = new byte[64 + text.length];
    System.arraycopy(new byte[] {0x7f, 'E', 'L', 'F', 2, 1}, 0, out, 0, 6);
    out[18] = (byte) processor;
    System.arraycopy(text, 0, out, 64, text.length);
    return out;
  }

  @Test
  void headersNameTheSystemAndTheProcessor() throws IOException {
    assertEquals("Linux on x86-64 with glibc", LibraryPlatform.of(file(elf(0x3e, "libc.so.6"))));
    assertEquals("Linux on arm64 with musl", LibraryPlatform.of(file(elf(0xb7, "libc.musl-aarch64.so.1"))));
    assertEquals("Linux on RISC-V", LibraryPlatform.of(file(elf(0xf3, "libm.so.6"))));
    byte[] mac = {(byte) 0xcf, (byte) 0xfa, (byte) 0xed, (byte) 0xfe, 12, 0, 0, 1};
    assertEquals("macOS on arm64", LibraryPlatform.of(file(mac)));
    byte[] windows = new byte[128];
    System.arraycopy(new byte[] {'M', 'Z'}, 0, windows, 0, 2);
    windows[0x3c] = 0x40;
    System.arraycopy(new byte[] {'P', 'E', 0, 0, 0x64, (byte) 0x86}, 0, windows, 0x40, 6);
    assertEquals("Windows on x86-64", LibraryPlatform.of(file(windows)));
  }

  @Test
  void otherFilesHaveNoPlatform() throws IOException {
    assertEquals("", LibraryPlatform.of(file(new byte[0])));
    assertEquals("", LibraryPlatform.of(file(new byte[] {'M', 'Z'})));
    assertEquals("", LibraryPlatform.of(file("#!/bin/sh\n".getBytes(StandardCharsets.US_ASCII))));
    assertEquals("", LibraryPlatform.of(folder.resolve("absent").toString()));
  }

  @Test
  void theErrorOfAnotherPlatformNamesBoth() throws IOException {
    String library = file(elf(0xf3, "libc.so.6"));
    String said = Natives.refused(library, new IllegalArgumentException("refused")).getMessage();
    assertTrue(said.startsWith(library + " cannot be opened; "), said);
    assertTrue(said.contains(": it is for Linux on RISC-V with glibc, and this process runs on "), said);
  }
}

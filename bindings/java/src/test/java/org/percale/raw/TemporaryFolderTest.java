package org.percale.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of jars, which go with the process. */
final class TemporaryFolderTest {
  @TempDir Path parent;

  /** Makes a folder as a process makes it, with a library and a plug-in. */
  private Path folder(String name, String lock) throws IOException {
    Path folder = Files.createDirectory(parent.resolve(name));
    Files.createFile(folder.resolve(lock));
    Files.createFile(folder.resolve("percale.dll"));
    Files.createFile(Files.createDirectory(folder.resolve("percale")).resolve("percale_onnx.dll"));
    return folder;
  }

  /** Locks a file until it has read a line. */
  static final class Locking {
    public static void main(String[] args) throws IOException {
      try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
        channel.lock();
        System.out.println("locked");
        while (System.in.read() >= 0) {
        }
      }
    }
  }

  private static Process locking(Path file) throws IOException {
    Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-cp",
        System.getProperty("java.class.path"), Locking.class.getName(), file.toString()).redirectErrorStream(true).start();
    assertEquals('l', process.getInputStream().read());
    return process;
  }

  @Test
  void foldersThatNoProcessUsesAreRemoved() throws IOException, InterruptedException {
    Path left = folder("percale-java-0-1", "in-use");
    Path used = folder("percale-java-0-2", "in-use");
    Process user = locking(used.resolve("in-use"));
    new TemporaryFolder(parent, true);
    assertFalse(Files.exists(left));
    assertTrue(Files.exists(used.resolve("percale/percale_onnx.dll")));

    user.getOutputStream().close();
    assertTrue(user.waitFor(60, TimeUnit.SECONDS));
    new TemporaryFolder(parent, true);
    assertFalse(Files.exists(used));
  }

  @Test
  void otherFoldersStay() throws IOException {
    Path other = folder("percale-run", "in-use");
    Path unlocked = folder("percale-java-0-1", "another");
    new TemporaryFolder(parent, true);
    new TemporaryFolder(parent, true);
    assertTrue(Files.exists(other.resolve("percale.dll")));
    assertTrue(Files.exists(unlocked.resolve("percale.dll")));
    try (var made = Files.newDirectoryStream(parent, "percale-java-" + TemporaryFolder.nameOfProcess() + "-*")) {
      int count = 0;
      for (Path folder : made) {
        assertTrue(Files.exists(folder.resolve("in-use")));
        ++count;
      }
      assertEquals(2, count);
    }
  }

  @Test
  void filesGetTheFoldersOnTheirWay() throws IOException {
    Path file = new TemporaryFolder(parent, true).file("percale/percale_onnx.dll");
    Files.createFile(file);
    assertEquals(parent, file.getParent().getParent().getParent());
  }
}

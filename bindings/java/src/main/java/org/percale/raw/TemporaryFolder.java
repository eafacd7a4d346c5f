package org.percale.raw;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A temporary folder for the files of a jar. It goes with the process where the system allows it.
 * Windows keeps a library until the process has ended, and a process that is killed removes
 * nothing. So each process locks a file in its folder, and a later process of the same user removes
 * the folders whose file no process locks.
 */
final class TemporaryFolder {
  private static final String PREFIX = "percale-java-";
  private static final String LOCK = "in-use";

  /** Keeps the lock until the process ends. */
  private static FileChannel held;

  private final Path path;
  private final boolean removesOpenFiles;

  /**
   * Makes the folder, and removes those that other processes have left.
   *
   * @param removesOpenFiles true if the system removes files that a process has open
   */
  TemporaryFolder(Path parent, boolean removesOpenFiles) throws IOException {
    this.removesOpenFiles = removesOpenFiles;
    String ofProcess = PREFIX + nameOfProcess() + "-";
    path = Files.createTempDirectory(parent, ofProcess);
    removeAtEnd(path);
    // The file gets its name when it is locked, so that no process takes the folder for a left one.
    Path unlocked = path.resolve(LOCK + ".new");
    held = FileChannel.open(unlocked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      held.lock();
    } catch (IOException systemHasNoLocks) {
      removeAtEnd(unlocked);
      return; // then no process removes the folders of others
    }
    Files.move(unlocked, file(LOCK));
    // A second class loader of this process must not open the lock of the first, for closing it
    // unlocks.
    File[] others = parent.toFile().listFiles((folder, name) -> name.startsWith(PREFIX) && !name.startsWith(ofProcess));
    for (File other : others == null ? new File[0] : others) {
      removeIfLeft(other.toPath());
    }
  }

  /** Returns a name that no process of this machine had before. Containers repeat the number. */
  static String nameOfProcess() {
    ProcessHandle process = ProcessHandle.current();
    return process.pid() + "-" + process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /** Returns the path of a file of the folder, which goes with it. Makes the folders on the way. */
  Path file(String name) throws IOException {
    Path file = path.resolve(name);
    if (!Files.exists(file.getParent())) {
      Files.createDirectory(file.getParent());
      removeAtEnd(file.getParent());
    }
    removeAtEnd(file);
    return file;
  }

  private void removeAtEnd(Path made) {
    if (removesOpenFiles) {
      made.toFile().deleteOnExit();
    }
  }

  /** Removes a folder if no process uses it. If that fails, it stays for a later process. */
  private void removeIfLeft(Path other) {
    try {
      if (Files.getOwner(other).equals(Files.getOwner(path)) && isUnlocked(other.resolve(LOCK))) {
        for (Path made : contents(other)) {
          Files.delete(made);
        }
      }
    } catch (IOException | UncheckedIOException | UnsupportedOperationException cannotBeRemoved) {
      return;
    }
  }

  private static boolean isUnlocked(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      return channel.tryLock() != null;
    } catch (NoSuchFileException withoutLock) {
      return false;
    }
  }

  /** Returns the files of a folder, and the folder behind them. */
  private static List<Path> contents(Path folder) throws IOException {
    try (Stream<Path> found = Files.walk(folder)) {
      List<Path> all = found.collect(Collectors.toList());
      Collections.reverse(all);
      return all;
    }
  }
}

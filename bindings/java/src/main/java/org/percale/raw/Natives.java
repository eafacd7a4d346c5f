package org.percale.raw;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Finds the library: the one that the program names, or the one of a jar with natives. */
final class Natives {
  /** The name by which the system searches for the library if there is no other. */
  static final String OF_SYSTEM = nameOfSystem();

  private Natives() {}

  /** Returns the value of a system property, else of an environment variable, else null. */
  static String named(String property, String variable) {
    String name = System.getProperty(property, System.getenv(variable));
    return name == null || name.isEmpty() ? null : name;
  }

  /** Returns the path of the library, or null if the system has to search for it. */
  static String library() {
    String library = named("percale.library", "PERCALE_LIBRARY");
    return library == null ? extracted(folder()) : library;
  }

  private static String system() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? "macos" : name.startsWith("windows") ? "windows" : name;
  }

  private static String nameOfSystem() {
    return system().equals("windows") ? "percale.dll" : system().equals("macos") ? "libpercale.0.dylib" : "libpercale.so.0";
  }

  /**
   * Returns the folder of the files for this machine in a jar, such as "linux-x86_64" or
   * "linux-musl-aarch64".
   */
  static String folder() {
    String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return system() + (LibraryPlatform.ofProcess().endsWith("musl") ? "-musl-" : "-")
        + (processor.equals("amd64") ? "x86_64" : processor);
  }

  /** Returns the error for a library that the system refuses to open, with its reason. */
  static UnsatisfiedLinkError refused(String name, Throwable reason) {
    String other = LibraryPlatform.other(name);
    return new UnsatisfiedLinkError(name + " cannot be opened; name the library in the system property percale.library,"
        + " in PERCALE_LIBRARY, or put its folder where the system looks: "
        + (other.isEmpty() ? reason.getMessage() : other));
  }

  /**
   * Copies the files of a folder to a temporary one, which goes with the process. The resource
   * "files" lists them, the library first.
   *
   * @return the path of the library, or null if no jar has the folder
   */
  private static String extracted(String folder) {
    // No package can have such a name, so modules do not hide the resources.
    String prefix = "org/percale/natives/" + folder + "/";
    ClassLoader loader = Natives.class.getClassLoader();
    try (InputStream list = loader.getResourceAsStream(prefix + "files")) {
      if (list == null) {
        return null;
      }
      TemporaryFolder target = new TemporaryFolder(Path.of(System.getProperty("java.io.tmpdir")), !system().equals("windows"));
      Path library = null;
      BufferedReader names = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8));
      for (String name = names.readLine(); name != null; name = names.readLine()) {
        Path file = copy(loader, prefix + name, target.file(name));
        library = library == null ? file : library;
      }
      return library == null ? null : library.toString();
    } catch (IOException error) {
      throw (UnsatisfiedLinkError) new UnsatisfiedLinkError("the library of the jar cannot be copied to "
          + System.getProperty("java.io.tmpdir") + "; make room there, name another folder in java.io.tmpdir,"
          + " or name an installed library in the system property percale.library: " + error).initCause(error);
    }
  }

  private static Path copy(ClassLoader loader, String resource, Path file) throws IOException {
    try (InputStream from = loader.getResourceAsStream(resource)) {
      if (from == null) {
        throw new IOException("the jar lacks " + resource);
      }
      Files.copy(from, file);
    }
    return file;
  }
}

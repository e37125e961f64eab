package dev.millrace.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Creates a new directory for each measurement. All are deleted at the end: a file system creates
 * files slowly for a while after many were deleted.
 */
public final class ScratchDirectories {
  private static final Path ROOT = root();
  private static int count;

  private ScratchDirectories() {}

  private static Path root() {
    try {
      String where = System.getProperty("millrace.bench.dir", System.getProperty("java.io.tmpdir"));
      return Files.createTempDirectory(Path.of(where), "millrace-bench");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  public static Path fresh(String name) throws IOException {
    Files.createDirectories(ROOT); // which a benchmark before may have removed
    return Files.createDirectory(ROOT.resolve(name + "-" + count++));
  }

  /** Removes everything, at the end of a benchmark. */
  public static void clean() throws Exception {
    new ProcessBuilder("rm", "-rf", ROOT.toString()).inheritIO().start().waitFor();
  }
}

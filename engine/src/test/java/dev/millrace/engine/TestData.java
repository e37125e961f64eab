package dev.millrace.engine;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Public models and vocabularies beside the repository; tests that need them are skipped if they
 * are missing.
 */
public final class TestData {
  private TestData() {}

  /** The file or directory; aborts the test if it does not exist. */
  public static Path find(String relative) {
    Path path = root().resolve(relative);
    assumeTrue(Files.exists(path), () -> "no test data at " + path);
    return path;
  }

  private static Path root() {
    String given = System.getProperty("millrace.data");
    return given != null ? Path.of(given) : repository().resolve("../shared/data").normalize();
  }

  /** Tests run in the module or in the root of the repository. */
  private static Path repository() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("engine/pom.xml")) ? here : here.getParent();
  }
}

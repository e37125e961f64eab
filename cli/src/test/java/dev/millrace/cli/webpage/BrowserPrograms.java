package dev.millrace.cli.webpage;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Node and Chromium of this machine. Nothing is downloaded.
 *
 * @param node runs the driver of Playwright
 */
public record BrowserPrograms(Path node, Path chromium) {
  /** Set to "true" where tests of the page must not be skipped. */
  static final String REQUIRED = "MILLRACE_REQUIRE_BROWSER";

  private static final List<String> CHROMIUM =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  public static Optional<BrowserPrograms> find() {
    Optional<Path> node = find(List.of("node"));
    Optional<Path> chromium = find(CHROMIUM);
    return node.flatMap(it -> chromium.map(browser -> new BrowserPrograms(it, browser)));
  }

  /** Whether a machine without them fails the tests. */
  static boolean isRequired() {
    return "true".equals(System.getenv(REQUIRED));
  }

  public static String missing() {
    return "tests of the page need node and chromium on the PATH:"
        + " apt-get install nodejs chromium (as .ci/run does)";
  }

  private static Optional<Path> find(List<String> names) {
    String path = System.getenv().getOrDefault("PATH", "");
    return names.stream()
        .flatMap(name -> Stream.of(path.split(File.pathSeparator)).map(it -> Path.of(it, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  Map<String, String> driverEnvironment() {
    return Map.of(
        "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1", "PLAYWRIGHT_NODEJS_PATH", node.toString());
  }

  /** Nothing of the browser speaks to anything but the page's server. */
  List<String> browserArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
                "--no-first-run"));
    if ("root".equals(System.getProperty("user.name"))) {
      arguments.add("--no-sandbox"); // Chromium refuses to start as root with it
    }
    return arguments;
  }
}

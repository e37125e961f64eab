package dev.millrace.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks the JDK, the AOT cache for fast starts, and the encoding of file names. */
public final class JvmCheck {
  private static final int NEEDED = 25;
  private static final String CACHE_OPTION = "-XX:AOTCache=";

  public void run(Findings findings) {
    Runtime.Version version = Runtime.version();
    if (version.feature() < NEEDED) {
      findings.fail("java", "Java " + version, "install a JDK " + NEEDED + " or newer");
    } else {
      findings.ok("java", "Java " + version + ", " + System.getProperty("java.vm.name"));
    }
    cache(findings);
    encoding(findings);
  }

  private static void cache(Findings findings) {
    Optional<String> cache = option(CACHE_OPTION);
    String remedy =
        "start with the launcher, which creates it; if that fails, its log"
            + " is beside the jar or below ~/.cache/millrace, ending in .aot.log";
    if (cache.isEmpty()) {
      findings.warn("aot cache", "not in use: commands start slower", remedy);
      return;
    }
    String file = cache.get();
    if (!Files.isReadable(Path.of(file))) {
      findings.warn("aot cache", file + " cannot be read", remedy);
    } else if (!mapped(file)) {
      findings.warn(
          "aot cache", "the JVM rejected " + file, "delete it; the next start creates it again");
    } else {
      findings.ok("aot cache", file);
    }
  }

  private static Optional<String> option(String prefix) {
    return ProcessHandle.current()
        .info()
        .arguments()
        .flatMap(
            arguments ->
                Stream.of(arguments)
                    .filter(argument -> argument.startsWith(prefix))
                    .map(argument -> argument.substring(prefix.length()))
                    .findFirst());
  }

  /** Whether the JVM has mapped the file; assumed where the system does not say. */
  private static boolean mapped(String file) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.anyMatch(line -> line.endsWith(file));
    } catch (IOException e) {
      return true;
    }
  }

  private static void encoding(Findings findings) {
    String encoding = System.getProperty("sun.jnu.encoding", "");
    if (!encoding.equalsIgnoreCase("UTF-8")) {
      findings.warn(
          "locale",
          "file names are read as " + encoding,
          "set a UTF-8 locale, for example LC_ALL=C.UTF-8");
    }
  }
}

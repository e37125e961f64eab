package dev.millrace.store.postgres.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the servers and the database have printed. */
final class OutputCheck {
  private static final int MOST = 10;

  /** A stack trace, or a thread or a process that died. */
  private static final Pattern OF_SERVER =
      Pattern.compile("^\\s+at [\\w.$/]+\\(|Exception in thread|thread \\S+ died|OutOfMemoryError");

  private static final Pattern OF_DATABASE = Pattern.compile("\\b(ERROR|FATAL|PANIC):  ");

  /** What the faults do. */
  private static final Pattern EXPECTED =
      Pattern.compile(
          "terminating connection due to administrator command"
              + "|terminating background worker .* due to administrator command"
              + "|the database system is (starting up|shutting down|in recovery mode|not yet)"
              + "|remaining connection slots are reserved|too many clients already"
              + "|sorry, too many clients"
              + "|canceling statement due to (lock timeout|statement timeout|user request)"
              + "|connection to client lost|terminating connection because of crash"
              + "|terminating connection due to idle-in-transaction timeout");

  private OutputCheck() {}

  /** The lines of a server's output that should not be there, with what led to them. */
  static List<String> ofServer(Path output) throws IOException {
    List<String> lines = Files.readAllLines(output);
    return Stream.iterate(0, i -> i < lines.size(), i -> i + 1)
        .filter(i -> OF_SERVER.matcher(lines.get(i)).find())
        .filter(i -> i == 0 || !OF_SERVER.matcher(lines.get(i - 1)).find()) // once for each trace
        .limit(MOST)
        .map(i -> output.getFileName() + ": " + lines.subList(Math.max(0, i - 3), i + 1))
        .toList();
  }

  /** The lines of the database's log that no fault explains, with what follows them. */
  static List<String> ofDatabase(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return Stream.iterate(0, i -> i < lines.size(), i -> i + 1)
        .filter(i -> OF_DATABASE.matcher(lines.get(i)).find())
        .filter(i -> !EXPECTED.matcher(lines.get(i)).find())
        .limit(MOST)
        .map(i -> "database: " + lines.subList(i, Math.min(lines.size(), i + 3)))
        .toList();
  }
}

package dev.millrace.cli.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the processes of a soak have printed. */
final class SoakOutputs {
  private static final Pattern TROUBLE =
      Pattern.compile("^\\s+at [\\w.$/]+\\(|Exception in thread|thread \\S+ died|OutOfMemoryError");

  private SoakOutputs() {}

  /** Whether there is a stack trace, or a line of a thread that died. */
  static boolean showsTrouble(String text) {
    return text.lines().anyMatch(line -> TROUBLE.matcher(line).find());
  }

  /** The troubled lines of a process, each with what led to it. */
  static List<String> trouble(SoakProcess process) throws IOException {
    List<String> lines = Files.readAllLines(process.output());
    return Stream.iterate(0, i -> i < lines.size(), i -> i + 1)
        .filter(i -> TROUBLE.matcher(lines.get(i)).find())
        .limit(5)
        .map(i -> process.name() + ": " + lines.subList(Math.max(0, i - 3), i + 1))
        .toList();
  }

  /** The processes that have the soak's mark in their environment and still run. */
  static List<String> leftRunning(SoakRun run) {
    String mark = SoakProcess.MARK + "=" + run.dir();
    return ProcessHandle.allProcesses()
        .filter(process -> environment(process).contains(mark))
        .map(process -> process.pid() + " " + process.info().commandLine().orElse(""))
        .toList();
  }

  private static String environment(ProcessHandle process) {
    try {
      return Files.readString(
          Path.of("/proc/" + process.pid() + "/environ"),
          java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it has ended, or is another user's
    }
  }
}

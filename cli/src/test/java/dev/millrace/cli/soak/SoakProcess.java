package dev.millrace.cli.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A process that is started again whenever it has ended. All its output is kept in one file. */
final class SoakProcess {
  /** In the environment of every process of a soak, and of those that these start. */
  static final String MARK = "MILLRACE_SOAK";

  /** After SIGTERM, after a second one, after SIGKILL. */
  private static final Set<Integer> ENDS = Set.of(0, 130, 128 + 9);

  private final SoakRun run;
  private final String name;
  private final ProcessBuilder builder;
  private final Path output;
  private Process process;

  SoakProcess(SoakRun run, String name, List<String> command, Map<String, String> environment)
      throws IOException {
    this.run = run;
    this.name = name;
    output = Files.createFile(run.dir().resolve(name + ".log"));
    builder = new ProcessBuilder(command).directory(run.dir().toFile()).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
    prepare(builder, run);
    builder.environment().putAll(environment);
    process = builder.start();
  }

  /** The environment of a process of the soak. */
  static void prepare(ProcessBuilder builder, SoakRun run) {
    Map<String, String> environment = builder.environment();
    environment.put(MARK, run.dir().toString());
    environment.put("MILLRACE_NO_BUILD", "1"); // use the jar of this build
    environment.put("MILLRACE_JAVA_OPTS", "-XX:+TieredCompilation");
    environment.put("MILLRACE_WARMUP", "0");
    environment.remove("MILLRACE_WORKSPACE");
  }

  String name() {
    return name;
  }

  Path output() {
    return output;
  }

  synchronized long pid() {
    return process.pid();
  }

  synchronized boolean isAlive() {
    return process.isAlive();
  }

  synchronized void signal(String signal) throws IOException, InterruptedException {
    if (!process.isAlive()) {
      return;
    }
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    if (signal.equals("KILL")) {
      process.waitFor();
    }
  }

  /**
   * Starts it again if it has ended: by our SIGKILL or SIGTERM, or because there was no space for
   * its start; else it should not have.
   */
  synchronized void revive() throws IOException {
    if (!process.isAlive()) {
      int status = process.exitValue();
      run.history().add(name, "ended", "status " + status, "", SoakHistory.Answer.UNKNOWN);
      if (!ENDS.contains(status) && !lastLine().contains("No space left on device")) {
        run.history().problem(name + " ended with status " + status);
      }
      process = builder.start();
    }
  }

  private String lastLine() throws IOException {
    List<String> lines = Files.readAllLines(output);
    return lines.isEmpty() ? "" : lines.getLast();
  }

  /** Lets it finish what it does. */
  synchronized int terminate() throws IOException, InterruptedException {
    signal("CONT");
    signal("TERM");
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      run.history().problem(name + " does not end after SIGTERM");
      process.destroyForcibly().waitFor();
    }
    return process.exitValue();
  }

  synchronized void kill() throws IOException, InterruptedException {
    signal("KILL");
  }
}

package dev.millrace.server.exec;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Starts shell commands so that each can be ended with all processes that it started. Thread-safe.
 *
 * <p>{@code setsid(1)} makes the command the leader of a new session and process group whose number
 * is the process's own: a child of Java is never a group leader, so it need not fork. The command
 * then waits for a line on stdin, {@link #GO}, which is sent once the watchdog knows the group and it
 * is recorded: so the command never outlives this process, or not longer than until the next one.
 */
final class ProcessGroupLauncher implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /**
   * What a command waits for: the shell reads exactly this from stdin and leaves the rest to the
   * program.
   */
  static final String GO = "\n";

  private static final String GATE = "read -r MILLRACE_GO && exec /bin/sh -c \"$1\"";

  private final List<String> prefix;
  private final Duration grace;
  private final @Nullable ProcessSignals signals; // null: this machine has no process groups
  private final Watchdog watchdog;
  private final RunningPrograms programs;

  private ProcessGroupLauncher(
      List<String> prefix,
      Duration grace,
      @Nullable ProcessSignals signals,
      RunningPrograms programs) {
    this.programs = programs;
    this.prefix = prefix;
    this.grace = grace;
    this.signals = signals;
    this.watchdog = new Watchdog(prefix, grace);
  }

  /**
   * @param path where to look for {@code setsid}: the directories of PATH
   */
  static ProcessGroupLauncher open(String path, Duration grace, RunningPrograms programs) {
    Optional<Path> setsid = find("setsid", path);
    Optional<ProcessSignals> signals = ProcessSignals.open();
    if (setsid.isPresent() && signals.isPresent()) {
      return new ProcessGroupLauncher(
          List.of(setsid.get().toString()), grace, signals.get(), programs);
    }
    LOG.log(
        Level.WARNING,
        (setsid.isEmpty() ? "no setsid in PATH" : "kill(2) cannot be called")
            + ": processes that a program leaves behind may survive when it is cancelled;"
            + " install util-linux and allow native access");
    return new ProcessGroupLauncher(List.of(), grace, null, programs);
  }

  private static Optional<Path> find(String program, String path) {
    return List.of(path.split(":")).stream()
        .filter(directory -> directory.startsWith("/"))
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts {@code /bin/sh -c command}, which waits for {@link #GO}.
   *
   * @param environment all its variables
   * @throws IOException if it cannot be started or recorded; nothing is left of it then
   */
  ProcessGroup start(String command, Map<String, String> environment) throws IOException {
    List<String> line = new ArrayList<>(prefix);
    line.addAll(List.of("/bin/sh", "-c", GATE, "millrace-gate", command));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    ProcessGroup group = new ProcessGroup(process, signals, grace);
    try {
      watchdog.watch(group.target());
      programs.add(group, environment);
      return group;
    } catch (IOException | RuntimeException | Error e) {
      end(group);
      throw e;
    }
  }

  /** Ends the processes of a group that are left, and forgets the group. */
  void end(ProcessGroup group) {
    group.end();
    watchdog.forget(group.target());
    programs.remove(group);
  }

  @Override
  public void close() {
    watchdog.close();
  }
}

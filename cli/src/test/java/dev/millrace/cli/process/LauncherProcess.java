package dev.millrace.cli.process;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.LauncherEnvironment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of the launcher, with its output in files. */
public final class LauncherProcess implements AutoCloseable {
  /** A resource of tests: what computes on all cores for long would starve another such test. */
  static final String CORES = "all cores";

  private static final Path HOME =
      Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();

  private final Process process;
  private final Path out;
  private final Path err;

  private LauncherProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  public static Path script() {
    return HOME.resolve("millrace");
  }

  /** Starts {@code millrace args} in {@code directory}. */
  static LauncherProcess start(Path directory, String... args) {
    List<String> command = new ArrayList<>(List.of(script().toString()));
    command.addAll(List.of(args));
    return start(directory, new ProcessBuilder(command));
  }

  /** Starts a shell line in which {@code $millrace} is the launcher. */
  public static LauncherProcess shell(Path directory, String line) {
    return start(directory, new ProcessBuilder("/bin/sh", "-c", line));
  }

  private static LauncherProcess start(Path directory, ProcessBuilder builder) {
    try {
      Path out = Files.createTempFile(directory, "out", "");
      Path err = Files.createTempFile(directory, "err", "");
      builder.directory(directory.toFile());
      builder.redirectOutput(out.toFile()).redirectError(err.toFile());
      LauncherEnvironment.prepare(builder.environment());
      builder.environment().put("millrace", script().toString());
      builder.environment().remove("MILLRACE_WORKSPACE");
      Process process = builder.start();
      process.getOutputStream().close();
      return new LauncherProcess(process, out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A process in the background of a shell ignores SIGINT, and so do its children. */
  static boolean interruptsArrive() throws IOException {
    return arrives(2);
  }

  /** A process under nohup ignores SIGHUP, and so do its children. */
  static boolean hangupsArrive() throws IOException {
    return arrives(1);
  }

  private static boolean arrives(int signal) throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
            .allMatch(ignored -> (ignored >>> (signal - 1) & 1) == 0);
  }

  /** Waits until it ends. */
  public InProcessCli.Result result() {
    try {
      if (!process.waitFor(180, TimeUnit.SECONDS)) {
        throw new AssertionError("still running; it said: " + out() + err());
      }
      return new InProcessCli.Result(process.exitValue(), out(), err());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public LauncherProcess signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
      return this;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  String out() {
    return read(out);
  }

  String err() {
    return read(err);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

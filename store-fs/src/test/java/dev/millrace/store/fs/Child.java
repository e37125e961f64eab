package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Another process, to be stopped and killed. */
final class Child implements AutoCloseable {
  private final Process process;
  private final Thread reader;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  /** Starts the main method of {@code program}; each line it prints is told to {@code listener}. */
  Child(Class<?> program, Consumer<String> listener, Object... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                program.getName()));
    Arrays.stream(arguments).map(Object::toString).forEach(command::add);
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    reader = Thread.ofPlatform().daemon().start(() -> read(listener));
  }

  private static String classPath() {
    return Stream.of(Child.class, FsStore.class, JobStore.class)
        .map(
            type ->
                Path.of(
                    java.net.URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString())))
        .map(Path::toString)
        .distinct()
        .collect(Collectors.joining(System.getProperty("path.separator")));
  }

  private void read(Consumer<String> listener) {
    try (BufferedReader out = process.inputReader()) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        listener.accept(line);
        lines.add(line);
      }
    } catch (IOException e) {
      // its pipe broke with its death
    }
  }

  /** Waits for its next line. */
  String line() throws InterruptedException {
    String line = lines.poll(60, TimeUnit.SECONDS);
    assertThat(line).as("the next line of the child").isNotNull();
    return line;
  }

  boolean alive() {
    return process.isAlive();
  }

  /** Stops it in its tracks, alive and with all it holds. */
  void freeze() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor();
  }

  /** SIGKILL; returns once it is dead and all it had said is read. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
    reader.join();
  }

  @Override
  public void close() {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

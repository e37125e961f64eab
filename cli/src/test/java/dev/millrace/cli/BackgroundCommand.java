package dev.millrace.cli;

import dev.millrace.cli.command.Shell;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.awaitility.Awaitility;

/** Runs a command on a thread of its own and gives access to its output while it runs. */
public final class BackgroundCommand implements AutoCloseable {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final CompletableFuture<Integer> status = new CompletableFuture<>();
  private final Thread thread;

  private BackgroundCommand(
      Path directory,
      Map<String, String> environment,
      boolean terminal,
      Function<Shell, Integer> command) {
    Shell shell =
        new Shell(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, false, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            environment,
            directory,
            descriptor -> terminal);
    thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    status.complete(command.apply(shell));
                  } catch (Throwable e) {
                    status.completeExceptionally(e);
                  } finally {
                    shell.out().flush();
                  }
                });
  }

  public static BackgroundCommand start(Path directory, String... args) {
    return new BackgroundCommand(directory, Map.of(), false, shell -> Main.run(shell, args));
  }

  public static BackgroundCommand start(
      Path directory, Map<String, String> environment, String... args) {
    return new BackgroundCommand(directory, environment, false, shell -> Main.run(shell, args));
  }

  /** On a terminal of 100 columns. */
  public static BackgroundCommand onTerminal(Path directory, String... args) {
    return onTerminal(directory, shell -> Main.run(shell, args));
  }

  public static BackgroundCommand onTerminal(Path directory, Function<Shell, Integer> command) {
    return new BackgroundCommand(
        directory, Map.of("COLUMNS", "100", "LANG", "C.UTF-8"), true, command);
  }

  public static BackgroundCommand start(Path directory, Function<Shell, Integer> command) {
    return new BackgroundCommand(directory, Map.of(), false, command);
  }

  public String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  public BackgroundCommand awaitOut(String text) {
    return await(() -> out().equals(text), () -> "out is: " + out());
  }

  public BackgroundCommand awaitErr(String part) {
    return await(() -> err().contains(part), () -> "err is: " + err());
  }

  private BackgroundCommand await(
      java.util.concurrent.Callable<Boolean> condition, java.util.function.Supplier<String> said) {
    try {
      Awaitility.await()
          .pollInterval(Duration.ofMillis(2))
          .atMost(Duration.ofSeconds(20))
          .until(condition);
      return this;
    } catch (org.awaitility.core.ConditionTimeoutException e) {
      throw new AssertionError(said.get(), e);
    }
  }

  public void interrupt() {
    thread.interrupt();
  }

  public InProcessCli.Result result() {
    try {
      int code = status.get(30, TimeUnit.SECONDS);
      return new InProcessCli.Result(code, out(), err());
    } catch (Exception e) {
      throw new AssertionError("it said: " + out() + err(), e);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}

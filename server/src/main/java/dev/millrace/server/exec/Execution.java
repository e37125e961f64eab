package dev.millrace.server.exec;

import dev.millrace.core.task.Failure;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a program: feeds it, listens to it, and makes an outcome of its end. {@link #run}
 * belongs to the task's thread; stdin, stdout and stderr have a thread each, so that no full pipe
 * can keep another from moving.
 */
final class Execution {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** What fits into any pipe, even where a user has so many that they get only one page each. */
  private static final int FITS_A_PIPE = 4096;

  private static final int MESSAGE_LENGTH = 500;
  private static final Map<Integer, String> SIGNALS =
      Map.of(
          1, "HUP", 2, "INT", 3, "QUIT", 4, "ILL", 6, "ABRT", 9, "KILL", 11, "SEGV", 13, "PIPE", 15,
          "TERM");

  private final ProcessGroup group;
  private final ExecSettings settings;
  private final CapturedOutput output;
  private final StderrLines errors;
  private volatile boolean deaf; // whether nobody listens any more

  Execution(ProcessGroup group, ExecSettings settings, Consumer<String> log) {
    this.group = group;
    this.settings = settings;
    this.output = new CapturedOutput(settings.maxOutput());
    this.errors = new StderrLines(settings, log);
  }

  /**
   * @param ending ends the whole group
   */
  TaskOutcome run(TaskContext task, Executor pumps, Runnable ending) {
    Process process = group.leader();
    List<CompletableFuture<Void>> pumping = new ArrayList<>();
    pumping.add(
        CompletableFuture.runAsync(() -> read(process.getInputStream(), this::keep), pumps));
    pumping.add(CompletableFuture.runAsync(this::readErrors, pumps));
    byte[] input = (ProcessGroupLauncher.GO + task.text()).getBytes(StandardCharsets.UTF_8);
    if (input.length <= FITS_A_PIPE) {
      write(input);
    } else {
      pumping.add(CompletableFuture.runAsync(() -> write(input), pumps));
    }
    Integer exit = awaitExit(process);
    ending.run(); // what the program left behind also holds its pipes open
    awaitEnd(pumping);
    return outcome(exit);
  }

  /** Null if the task is to stop. */
  private static @Nullable Integer awaitExit(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      return null;
    }
  }

  /** A process that left the group may hold the pipes; what it still prints is not waited for. */
  private void awaitEnd(List<CompletableFuture<Void>> pumping) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(pumping.toArray(CompletableFuture[]::new));
    boolean interrupted = false;
    long end = System.nanoTime() + settings.grace().toNanos();
    while (true) {
      try {
        all.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (TimeoutException e) {
        LOG.log(Level.INFO, "process " + group.target() + ": somebody else holds on to its output");
        deaf = true;
        break;
      } catch (ExecutionException e) {
        LOG.log(Level.WARNING, "process " + group.target() + ": its pipes failed", e.getCause());
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private TaskOutcome outcome(@Nullable Integer exit) {
    if (output.isOverLimit()) {
      return failed(
          "printed more than " + settings.maxOutput() + " bytes on stdout and was killed");
    }
    if (exit == null) {
      return failed("stopped");
    }
    if (exit != 0) {
      return failed(message(exit));
    }
    try {
      return TaskOutcome.done(output.text());
    } catch (CharacterCodingException e) {
      return failed(String.valueOf(e.getMessage()));
    }
  }

  private TaskOutcome failed(String message) {
    String partial = output.lenientText();
    return new TaskOutcome.Failed(new Failure(message, true, partial.isEmpty() ? null : partial));
  }

  private String message(int exit) {
    String signal = SIGNALS.get(exit - 128); // also where a shell says so of its own child
    String status = "exit " + exit + (signal == null ? "" : " (signal " + signal + ")");
    String last = errors.last();
    if (last.length() > MESSAGE_LENGTH) {
      last = last.substring(0, MESSAGE_LENGTH) + "…";
    }
    return last.isEmpty() ? status : status + ": " + last;
  }

  private void write(byte[] input) {
    try (OutputStream stdin = group.leader().getOutputStream()) {
      stdin.write(input);
    } catch (IOException e) {
      // It ended, or closed its stdin, without reading all of it: that is for it to decide.
      LOG.log(Level.DEBUG, "process " + group.target() + " left some of its input");
    }
  }

  /** Takes what was read: the first {@code length} bytes of the buffer. */
  @FunctionalInterface
  private interface Sink {
    void accept(byte[] buffer, int length);
  }

  private void keep(byte[] buffer, int length) {
    if (!output.add(buffer, length)) {
      group.kill();
    }
  }

  private void readErrors() {
    read(group.leader().getErrorStream(), errors::add);
    errors.finish();
  }

  private void read(InputStream from, Sink to) {
    byte[] buffer = new byte[16 << 10];
    try (from) {
      for (int n = from.read(buffer); n >= 0 && !deaf; n = from.read(buffer)) {
        to.accept(buffer, n);
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "a pipe of a program broke", e);
    }
  }
}

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
 * One run of a program: writes its input, reads its output, and turns its end into an outcome. The
 * task's thread calls {@link #run}; stdin, stdout and stderr each have a thread, so that a full
 * pipe never blocks another.
 */
final class Execution {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** What fits into any pipe: a user with many pipes gets only one page for each. */
  private static final int FITS_A_PIPE = 4096;

  private static final int MESSAGE_LENGTH = 500;
  private static final Map<Integer, String> SIGNALS =
      Map.of(
          1, "HUP", 2, "INT", 3, "QUIT", 4, "ILL", 6, "ABRT", 9, "KILL", 11, "SEGV", 13, "PIPE", 15,
          "TERM");

  private final ProcessGroup group;
  private final ExecLimits limits;
  private final CapturedOutput output;
  private final StderrLines errors;
  private volatile boolean ignoring; // whether further output is ignored

  Execution(ProcessGroup group, ExecLimits limits, Consumer<String> log) {
    this.group = group;
    this.limits = limits;
    this.output = new CapturedOutput(limits.maxOutput());
    this.errors = new StderrLines(limits, log);
  }

  /**
   * @param ending ends the whole process group
   */
  TaskOutcome run(TaskContext task, Executor pumps, Runnable ending) {
    Process process = group.leader();
    List<CompletableFuture<Void>> pumpRuns = new ArrayList<>();
    pumpRuns.add(
        CompletableFuture.runAsync(() -> read(process.getInputStream(), this::keep), pumps));
    pumpRuns.add(CompletableFuture.runAsync(this::readErrors, pumps));
    byte[] input = (ProcessGroupLauncher.GO + task.text()).getBytes(StandardCharsets.UTF_8);
    if (input.length <= FITS_A_PIPE) {
      write(input);
    } else {
      pumpRuns.add(CompletableFuture.runAsync(() -> write(input), pumps));
    }
    Integer exit = awaitExit(process);
    ending.run(); // processes that the program left behind hold its pipes open
    awaitEnd(pumpRuns);
    return outcome(exit);
  }

  /** Null if the task must stop. */
  private static @Nullable Integer awaitExit(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      return null;
    }
  }

  /** Waits for the pipes, but not for a process that left the group and holds them open. */
  private void awaitEnd(List<CompletableFuture<Void>> pumpRuns) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(pumpRuns.toArray(CompletableFuture[]::new));
    boolean interrupted = false;
    long end = System.nanoTime() + limits.grace().toNanos();
    while (true) {
      try {
        all.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (TimeoutException e) {
        LOG.log(
            Level.INFO, "process " + group.target() + ": another process holds its output open");
        ignoring = true;
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
      return failed("printed more than " + limits.maxOutput() + " bytes on stdout and was killed");
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
    String signal =
        SIGNALS.get(exit - 128); // a shell reports the signal of its child in this way, too
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
      // A program may end, or close its stdin, without reading all of its input.
      LOG.log(Level.DEBUG, "process " + group.target() + " did not read all of its input");
    }
  }

  /** Accepts the first {@code length} bytes of the buffer. */
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
      for (int n = from.read(buffer); n >= 0 && !ignoring; n = from.read(buffer)) {
        to.accept(buffer, n);
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "a pipe of a program broke", e);
    }
  }
}

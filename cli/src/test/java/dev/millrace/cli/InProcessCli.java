package dev.millrace.cli;

import dev.millrace.cli.command.Shell;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Runs commands in this JVM, in a directory, and captures their streams. */
public final class InProcessCli {
  /** The exit status and output of a command. */
  public record Result(int status, String out, String err) {
    public List<String> lines() {
      return out.lines().toList();
    }

    /** The output without its last newline. */
    public String line() {
      return out.strip();
    }
  }

  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private byte[] stdin = {};
  private boolean terminal;

  public InProcessCli(Path directory) {
    this.directory = directory;
    environment.put("MILLRACE_WARMUP", "0"); // nothing here is measured
  }

  public InProcessCli env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public InProcessCli stdin(String text) {
    return stdin(text.getBytes(StandardCharsets.UTF_8));
  }

  public InProcessCli stdin(byte[] bytes) {
    stdin = bytes;
    return this;
  }

  /** From now on all streams are a terminal. */
  public InProcessCli onTerminal() {
    terminal = true;
    return this;
  }

  public Result run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status = Main.run(shell(out, err), args);
    return new Result(
        status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** The environment of commands, for what is tested without one; it prints nowhere. */
  public Shell shell() {
    return shell(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
  }

  private Shell shell(OutputStream out, OutputStream err) {
    return new Shell(
        new ByteArrayInputStream(stdin),
        new PrintStream(out, false, StandardCharsets.UTF_8),
        new PrintStream(err, false, StandardCharsets.UTF_8),
        environment,
        directory,
        descriptor -> terminal);
  }

  /** Submits and returns the id. */
  public String submit(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "work";
    System.arraycopy(args, 0, all, 1, args.length);
    Result result = run(all);
    if (result.status() != 0) {
      throw new AssertionError(result.toString());
    }
    return result.line();
  }

  /** Processes all tasks of the types "generate" and "embed" with a function. */
  public static void work(Path workspace, Function<Claim, Object> worker) {
    try (JobStore store = Workspace.open(workspace).own().orElseThrow()) {
      ClaimRequest request = new ClaimRequest(Set.of("generate", "embed"), 100, "test", null);
      for (List<Claim> claims = store.claim(request);
          !claims.isEmpty();
          claims = store.claim(request)) {
        for (Claim claim : claims) {
          switch (worker.apply(claim)) {
            case Failure failure -> store.fail(claim, failure);
            case TaskResult result -> store.complete(claim, result);
            case Object text -> store.complete(claim, TaskResult.of(text.toString()));
          }
        }
      }
    }
  }

  /** Completes everything with its input in upper case. */
  public static void workAll(Path workspace) {
    work(workspace, claim -> claim.inputText().toUpperCase(java.util.Locale.ROOT));
  }

  public static JobId id(String text) {
    return new JobId(text);
  }
}

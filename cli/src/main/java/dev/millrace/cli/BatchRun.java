package dev.millrace.cli;

import dev.millrace.cli.BatchOutput.Written;
import dev.millrace.core.Work.SubmitResult;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A batch from its file to its output. The job is durable: whatever ends this process, the next run
 * on the same file finds the job and goes on.
 */
final class BatchRun implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(100);

  /**
   * What was asked for.
   *
   * @param mill makes one for a workspace that has no server; null where no model was named
   * @param out null for standard output
   */
  record Settings(
      Shell shell,
      Workspace workspace,
      BatchJob job,
      boolean fresh,
      boolean json,
      @Nullable Path out,
      @Nullable Supplier<Mill> mill) {}

  private final Settings settings;
  private final Shell shell;
  private final Workspace workspace;
  private final Reading reading;
  private final BatchProgress progress;
  private final Pacing owners = new Pacing(Duration.ofSeconds(1));
  private boolean served = true;
  private @Nullable LocalServer host;

  BatchRun(Settings settings) {
    this.settings = settings;
    this.shell = settings.shell();
    this.workspace = settings.workspace();
    this.reading = workspace.reading();
    this.progress = new BatchProgress(shell);
  }

  int run() throws IOException, InterruptedException {
    Optional<JobId> found =
        settings.fresh()
            ? Optional.empty()
            : settings.job().find(reading, workspace.owner().held());
    boolean ended = found.isPresent() && view(found.get()).state().isFinal();
    if (!ended) {
      host(true);
    }
    JobId id = found.isPresent() ? found.get() : submit();
    if (found.isPresent()) {
      progress.say(
          "job "
              + id
              + (ended ? " is done: only the output is written" : " was begun: it goes on"));
    } else {
      progress.say(
          "job " + id + ": " + Amounts.of(settings.job().file().tasks().size(), "request"));
    }
    try {
      await(id);
    } catch (InterruptedException e) {
      return stopped(id);
    } finally {
      progress.end();
      close();
    }
    return write(id);
  }

  private JobId submit() {
    SubmitResult result = workspace.work().submit(settings.job().spec());
    if (result.id() == null) {
      throw new Refusal(result.message());
    }
    return result.id();
  }

  /** Serves the workspace from here if nobody else does. */
  private void host(boolean must) {
    Supplier<Mill> mill = settings.mill();
    served = host != null || workspace.owner().held();
    if (served) {
      return;
    }
    if (mill == null) {
      if (must) {
        throw new Refusal(
            "no server works on "
                + workspace.root()
                + ": pass --model MODEL, for example --model house (the model that ships), or start"
                + " one with \""
                + Called.MILLRACE
                + " serve\"");
      }
      return;
    }
    Optional<JobStore> store = workspace.own();
    served = true;
    if (store.isPresent()) {
      host = LocalServer.start(workspace, store.get(), mill);
    }
  }

  private void await(JobId id) throws InterruptedException {
    Pacing looks = new Pacing(LOOK);
    while (!reading.state(id).map(state -> state.isFinal()).orElse(true)) {
      if (host != null) {
        host.check();
      } else if (owners.due()) {
        owners.look(() -> host(false));
      }
      if (looks.due()) {
        looks.look(
            () ->
                progress.show(
                    view(id),
                    host == null ? -1 : host.generated(),
                    served ? "" : "no server works on " + workspace.root()));
      }
      reading.awaitChange(id, LOOK);
    }
  }

  private JobView view(JobId id) {
    return reading
        .find(id)
        .orElseThrow(() -> new Refusal("job " + id + " of this batch was deleted meanwhile"));
  }

  /** A user's ^C: everything that was done is kept. */
  private int stopped(JobId id) {
    progress.end();
    close();
    JobView job = view(id);
    shell
        .err()
        .println(
            "stopped: "
                + JobObject.done(job.stages().getFirst())
                + " of "
                + job.stages().getFirst().total()
                + " done and kept in "
                + workspace.root()
                + "; run the same command again to go on");
    return ExitCode.INTERRUPTED;
  }

  private int write(JobId id) throws IOException {
    JobView job = view(id);
    BatchOutput output = new BatchOutput(settings.job().file());
    Path out = settings.out();
    Written written =
        out == null ? output.write(reading, id, shell.out()) : output.write(reading, id, out);
    if (settings.json()) {
      shell.out().println(Json.write(summary(id, job, written)));
    } else {
      shell.err().println(text(job, written));
    }
    return written.failed() == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private JsonObject summary(JobId id, JobView job, Written written) {
    return JsonObject.create()
        .put("job", id.value())
        .put("workspace", workspace.root().toString())
        .put("requests", written.done() + written.failed())
        .put("completed", written.done())
        .put("failed", written.failed())
        .put("prompt_tokens", written.promptTokens())
        .put("completion_tokens", written.completionTokens())
        .putIfPresent("seconds", Times.seconds(job.startedAt(), job.completedAt()))
        .put("output", String.valueOf(settings.out()));
  }

  private String text(JobView job, Written written) {
    Instant start = job.startedAt();
    Instant end = job.completedAt();
    double seconds =
        start == null || end == null ? 0 : Duration.between(start, end).toMillis() / 1_000.0;
    String tokens =
        written.completionTokens() > 0 && seconds > 0
            ? String.format(
                Locale.ROOT,
                ", %d tokens in %.1f s (%s)",
                written.completionTokens(),
                seconds,
                ProgressBar.rate(written.completionTokens() / seconds, " tokens"))
            : "";
    return Amounts.of(written.done() + written.failed(), "request")
        + ": "
        + written.done()
        + " done, "
        + written.failed()
        + " failed"
        + tokens
        + (settings.out() == null ? "" : "; output: " + settings.out());
  }

  @Override
  public void close() {
    LocalServer present = host;
    host = null;
    if (present != null) {
      present.close();
    }
  }
}

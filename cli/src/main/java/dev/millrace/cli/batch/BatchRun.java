package dev.millrace.cli.batch;

import dev.millrace.cli.batch.BatchOutput.Written;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.LauncherName;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.serve.LocalServer;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.PollPacer;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.TimeText;
import dev.millrace.core.Work.SubmitResult;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a batch from its file to its output. The job is durable: whatever ends this process, the
 * next run on the same file finds the job and resumes it.
 */
final class BatchRun implements AutoCloseable {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /**
   * What was asked for.
   *
   * @param fresh whether to submit a new job although one of this file exists
   * @param localWorkers opens them for a workspace that has no server; null where no model was
   *     named
   */
  record Settings(
      OwnablePlace place,
      BatchJob job,
      boolean fresh,
      Output output,
      @Nullable Supplier<LocalWorkers> localWorkers) {}

  /**
   * Where the answers go.
   *
   * @param file null for standard output
   * @param json whether the summary is printed as JSON
   */
  record Output(@Nullable Path file, boolean json) {}

  private final Settings settings;
  private final Shell shell;
  private final OwnablePlace place;
  private final JobReader reader;
  private final BatchProgress progress;
  private final PollPacer ownerPolls = new PollPacer(Duration.ofSeconds(1));
  private boolean served = true;
  private @Nullable LocalServer host;

  BatchRun(Shell shell, Settings settings) {
    this.settings = settings;
    this.shell = shell;
    this.place = settings.place();
    this.reader = place.reader();
    this.progress = new BatchProgress(shell);
  }

  int run() throws IOException, InterruptedException {
    Optional<JobId> found =
        settings.fresh() ? Optional.empty() : settings.job().find(reader, place.owner().held());
    boolean ended = found.isPresent() && view(found.get()).state().isFinal();
    if (!ended) {
      host(true);
    }
    JobId id = found.isPresent() ? found.get() : submit();
    if (found.isPresent()) {
      progress.print(
          "job "
              + id
              + (ended ? " is done: only the output is written" : " exists already: resuming it"));
    } else {
      progress.print(
          "job " + id + ": " + NumberText.of(settings.job().file().tasks().size(), "request"));
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
    SubmitResult result = place.work().submit(settings.job().spec());
    if (result.id() == null) {
      throw new CommandException(result.message());
    }
    return result.id();
  }

  /** Serves the workspace from this process if no server does. */
  private void host(boolean must) {
    Supplier<LocalWorkers> workers = settings.localWorkers();
    served = host != null || place.owner().held();
    if (served) {
      return;
    }
    if (workers == null) {
      if (must) {
        throw new CommandException(
            "no server works on "
                + place.location()
                + ": pass --model MODEL, for example --model house (the bundled model), or start"
                + " one with \""
                + LauncherName.MILLRACE
                + " serve\"");
      }
      return;
    }
    Optional<JobStore> store = place.own();
    served = true;
    if (store.isPresent()) {
      host = LocalServer.start(place, store.get(), workers);
    }
  }

  private void await(JobId id) throws InterruptedException {
    PollPacer progressPolls = new PollPacer(POLL_INTERVAL);
    while (!reader.state(id).map(state -> state.isFinal()).orElse(true)) {
      if (host != null) {
        host.requireRunning();
      } else if (ownerPolls.isDue()) {
        ownerPolls.poll(() -> host(false));
      }
      if (progressPolls.isDue()) {
        progressPolls.poll(
            () ->
                progress.show(
                    view(id),
                    host == null ? -1 : host.generatedTokens(),
                    served ? "" : "no server works on " + place.location()));
      }
      reader.awaitChange(id, POLL_INTERVAL);
    }
  }

  private JobView view(JobId id) {
    return reader
        .find(id)
        .orElseThrow(
            () -> new CommandException("job " + id + " of this batch was deleted meanwhile"));
  }

  /** Handles ^C: all completed work is kept. */
  private int stopped(JobId id) {
    progress.end();
    close();
    JobView job = view(id);
    shell
        .err()
        .println(
            "stopped: "
                + JobJson.completedTasks(job.stages().getFirst())
                + " of "
                + job.stages().getFirst().total()
                + " done and kept in "
                + place.location()
                + "; run the same command again to resume");
    return ExitCode.INTERRUPTED;
  }

  private int write(JobId id) throws IOException {
    JobView job = view(id);
    BatchOutput output = new BatchOutput(settings.job().file());
    Path out = settings.output().file();
    Written written =
        out == null ? output.write(reader, id, shell.out()) : output.write(reader, id, out);
    if (settings.output().json()) {
      shell.out().println(Json.write(summary(id, job, written)));
    } else {
      shell.err().println(text(job, written));
    }
    return written.failed() == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private JsonObject summary(JobId id, JobView job, Written written) {
    return JsonObject.create()
        .put("job", id.value())
        .put("workspace", place.location())
        .put("requests", written.done() + written.failed())
        .put("completed", written.done())
        .put("failed", written.failed())
        .put("prompt_tokens", written.promptTokens())
        .put("completion_tokens", written.completionTokens())
        .putIfPresent("seconds", TimeText.seconds(job.startedAt(), job.completedAt()))
        .put("output", String.valueOf(settings.output().file()));
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
    return NumberText.of(written.done() + written.failed(), "request")
        + ": "
        + written.done()
        + " done, "
        + written.failed()
        + " failed"
        + tokens
        + (settings.output().file() == null ? "" : "; output: " + settings.output().file());
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

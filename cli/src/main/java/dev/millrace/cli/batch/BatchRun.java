package dev.millrace.cli.batch;

import dev.millrace.cli.batch.BatchJob.Purpose;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.cli.terminal.PollPacer;
import dev.millrace.core.Work.SubmitResult;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a batch from its file to its output. Its jobs are durable: whatever ends this process, the
 * next run on the same file finds them and resumes.
 */
final class BatchRun implements AutoCloseable {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /** What to do with the answers of earlier runs. */
  enum Mode {
    RESUME,
    /** Resumes, and runs what failed again. */
    RETRY_FAILED,
    FRESH
  }

  /**
   * What was asked for.
   *
   * @param localWorkers opens them for a workspace that has no server; null where no model was
   *     named
   */
  record Settings(
      OwnablePlace place,
      BatchJob job,
      Mode mode,
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
  private final BatchJob batch;
  private final BatchProgress progress;
  private final BatchHost host;
  private final Map<JobId, JobView> jobs = new LinkedHashMap<>();

  BatchRun(Shell shell, Settings settings) {
    this.settings = settings;
    this.shell = shell;
    this.place = settings.place();
    this.batch = settings.job();
    this.progress = new BatchProgress(shell, batch.file());
    this.host = new BatchHost(place, settings.localWorkers());
  }

  int run() throws IOException, InterruptedException {
    Path out = settings.output().file();
    if (out == null) {
      return run(null, this::print);
    }
    try (GrowingOutput file = GrowingOutput.open(out)) {
      return run(file, file);
    }
  }

  private int run(@Nullable GrowingOutput file, BatchOutput.Target target)
      throws IOException, InterruptedException {
    BatchPlan plan = begin();
    BatchOutput output = new BatchOutput(batch.file(), plan.sources(), target);
    try {
      await(plan, output, file);
    } catch (InterruptedException e) {
      return stopped(plan);
    } finally {
      progress.clear();
      close();
    }
    if (file != null) {
      file.publish();
    }
    return summarize(plan, output);
  }

  /** Finds what earlier runs have done, and submits what they have not. */
  private BatchPlan begin() {
    BatchPlan plan = plan();
    if (!plan.missing().isEmpty()) {
      host.require();
    }
    if (!plan.obsolete().isEmpty()) {
      abort(plan.obsolete());
      plan = plan();
    }
    if (!plan.missing().isEmpty() || !allEnded()) {
      host.require();
      host.start();
    }
    String found = BatchMessages.found(plan, allEnded());
    List<Integer> missing = plan.missing();
    if (missing.isEmpty()) {
      boolean retry = settings.mode() == Mode.RETRY_FAILED && allEnded();
      progress.print((retry ? "no request failed; " : "") + found);
    } else {
      JobId id = submit(plan, missing);
      progress.print(BatchMessages.submitted(id, missing.size(), plan));
      plan = plan.with(id, missing);
    }
    BatchMessages.removed(plan).ifPresent(progress::print);
    refresh(plan);
    return plan;
  }

  private BatchPlan plan() {
    boolean held = place.owner().held();
    BatchPlan plan =
        settings.mode() == Mode.FRESH
            ? BatchHistory.fresh(place.reader(), batch, held)
            : BatchHistory.read(place.reader(), batch, held, settings.mode() == Mode.RETRY_FAILED);
    refresh(plan);
    return plan;
  }

  /** Unfinished lines that are no longer in the file must not be run; what is done stays. */
  private void abort(List<JobId> obsolete) {
    String why =
        settings.mode() == Mode.FRESH
            ? "the batch starts again"
            : "its unfinished requests were changed or removed";
    for (JobId id : obsolete) {
      place.apply(id, new Lever.Abort(), Cause.user("batch", why));
      progress.print("job " + id + " aborted: " + why + "; its answers are kept");
    }
  }

  private JobId submit(BatchPlan plan, List<Integer> missing) {
    List<BatchLine> lines = missing.stream().map(batch.file().lines()::get).toList();
    Purpose purpose =
        settings.mode() == Mode.FRESH
            ? Purpose.FRESH
            : plan.retried() > 0 ? Purpose.RETRY : Purpose.ANSWER;
    SubmitResult result = place.work().submit(batch.spec(lines, plan.lastPart() + 1, purpose));
    if (result.id() == null) {
      throw new CommandException(result.message());
    }
    return result.id();
  }

  private void await(BatchPlan plan, BatchOutput output, @Nullable GrowingOutput file)
      throws IOException, InterruptedException {
    PollPacer polls = new PollPacer(POLL_INTERVAL);
    while (!output.isComplete()) {
      if (!allEnded()) {
        host.check();
      }
      if (polls.isDue()) {
        polls.poll(() -> poll(plan, output));
        output.advance(host.reader(), allEnded());
        if (file != null) {
          file.flush();
        }
      }
      Optional<JobId> unfinished = unfinished();
      if (unfinished.isPresent() && !output.isComplete()) {
        host.reader().awaitChange(unfinished.get(), POLL_INTERVAL);
      }
    }
    measure(plan);
  }

  private void poll(BatchPlan plan, BatchOutput output) {
    BatchProgress.Counts counts = measure(plan);
    String pause = BatchProgress.pause(jobs.values());
    String note = pause + (pause.isEmpty() || host.note().isEmpty() ? "" : "; ") + host.note();
    progress.show(counts, output.totals(), note);
  }

  private BatchProgress.Counts measure(BatchPlan plan) {
    refresh(plan);
    BatchProgress.Counts counts = BatchProgress.Counts.of(plan.jobs(), jobs);
    progress.measure(host.reader(), jobs.values(), counts);
    return counts;
  }

  /** Reads the jobs that have not ended. */
  private void refresh(BatchPlan plan) {
    jobs.keySet().retainAll(plan.jobs().keySet());
    for (JobId id : plan.jobs().keySet()) {
      JobView known = jobs.get(id);
      if (known == null || !known.state().isFinal()) {
        jobs.put(id, view(id));
      }
    }
  }

  private boolean allEnded() {
    return unfinished().isEmpty();
  }

  private Optional<JobId> unfinished() {
    return jobs.values().stream()
        .filter(job -> !job.state().isFinal())
        .map(job -> job.header().id())
        .findFirst();
  }

  private JobView view(JobId id) {
    return host.reader()
        .find(id)
        .orElseThrow(
            () -> new CommandException("job " + id + " of this batch was deleted meanwhile"));
  }

  private void print(byte[] line) {
    progress.clear();
    shell.out().writeBytes(line);
    shell.out().flush();
  }

  /** Handles ^C: all completed work is kept. */
  private int stopped(BatchPlan plan) {
    progress.clear();
    close();
    refresh(plan);
    BatchProgress.Counts counts = BatchProgress.Counts.of(plan.jobs(), jobs);
    shell
        .err()
        .println(
            "stopped: "
                + (counts.ended() - counts.failed())
                + " of "
                + batch.file().lines().size()
                + " done and kept in "
                + place.location()
                + "; run the same command again to resume");
    return ExitCode.INTERRUPTED;
  }

  private int summarize(BatchPlan plan, BatchOutput output) {
    BatchSummary summary =
        new BatchSummary(
            List.copyOf(plan.jobs().keySet()),
            place.location(),
            output.totals(),
            output.failures(),
            progress.speed(),
            settings.output().file());
    if (settings.output().json()) {
      shell.out().println(Json.write(summary.json()));
    } else {
      shell.err().println(summary.text());
    }
    return output.totals().failed() == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  @Override
  public void close() {
    host.close();
  }
}

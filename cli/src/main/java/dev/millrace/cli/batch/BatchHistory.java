package dev.millrace.cli.batch;

import dev.millrace.cli.batch.BatchPlan.Share;
import dev.millrace.cli.batch.BatchPlan.Source;
import dev.millrace.cli.format.TaskJson;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds what earlier runs have done of a batch. Everything is read from the jobs themselves, so
 * that a run can be killed at any moment. For each line the latest job that has it counts; a task
 * that was aborted with its job counts as if it had never been submitted.
 */
final class BatchHistory {
  private final JobReader reader;
  private final BatchJob batch;
  private final boolean retryFailed;
  private final Map<BatchLine.Identity, Integer> positions = new HashMap<>();
  private final Set<String> customIds = new HashSet<>();
  private final @Nullable Source[] sources;
  private final boolean[] decided;
  private final Map<JobId, Share> shares = new LinkedHashMap<>();
  private final List<JobId> obsolete = new ArrayList<>();
  private final Set<String> removed = new LinkedHashSet<>();
  private int undecided;
  private int retried;

  private BatchHistory(JobReader reader, BatchJob batch, boolean retryFailed) {
    this.reader = reader;
    this.batch = batch;
    this.retryFailed = retryFailed;
    List<BatchLine> lines = batch.file().lines();
    this.sources = new Source[lines.size()];
    this.decided = new boolean[lines.size()];
    this.undecided = lines.size();
    for (int i = 0; i < lines.size(); i++) {
      positions.put(lines.get(i).identity(), i);
      customIds.add(lines.get(i).customId());
    }
  }

  /**
   * Reads the jobs of a batch.
   *
   * @param served whether a server works on the workspace
   * @param retryFailed whether lines that failed are to be run again
   */
  static BatchPlan read(JobReader reader, BatchJob batch, boolean served, boolean retryFailed) {
    BatchHistory history = new BatchHistory(reader, batch, retryFailed);
    Found found = find(reader, batch, served);
    for (JobView job : found.usable()) {
      if (history.undecided == 0) {
        break;
      }
      history.add(job);
      if (BatchJob.isFor(job, BatchJob.Purpose.FRESH)) {
        break;
      }
    }
    return history.plan(found.lastPart());
  }

  /** A plan that uses nothing of earlier runs: what they have not finished is obsolete. */
  static BatchPlan fresh(JobReader reader, BatchJob batch, boolean served) {
    BatchHistory history = new BatchHistory(reader, batch, false);
    Found found = find(reader, batch, served);
    for (JobView job : found.usable()) {
      if (!job.state().isFinal() && batch.isOfThisPath(job)) {
        history.obsolete.add(job.header().id());
      }
    }
    return history.plan(found.lastPart());
  }

  private BatchPlan plan(long lastPart) {
    return new BatchPlan(
        Arrays.asList(sources), shares, List.copyOf(obsolete), retried, removed, lastPart);
  }

  /**
   * The jobs of a file.
   *
   * @param usable those whose answers may be used, the latest first
   * @param lastPart the highest number of any of them, also of those for other models
   */
  private record Found(List<JobView> usable, long lastPart) {}

  private static Found find(JobReader reader, BatchJob batch, boolean served) {
    Set<JobId> ids = new TreeSet<>();
    for (String tag : List.of(batch.contentTag(), batch.nameTag())) {
      Set<JobState> all = EnumSet.allOf(JobState.class);
      ids.addAll(reader.list(new JobReader.Query(all, tag, null, false, Integer.MAX_VALUE)));
    }
    List<JobView> jobs = new ArrayList<>();
    ids.forEach(id -> reader.find(id).ifPresent(jobs::add));
    long lastPart = jobs.stream().mapToLong(BatchJob::part).max().orElse(0);
    jobs.removeIf(job -> !batch.accepts(job, served));
    jobs.sort(
        Comparator.comparingLong(BatchJob::part)
            .thenComparing(job -> job.header().id())
            .reversed());
    if (!jobs.isEmpty()) {
      JobView latest = jobs.getFirst();
      jobs.removeIf(job -> !BatchJob.sameModel(latest, job)); // answers of one model only
    }
    return new Found(jobs, lastPart);
  }

  private void add(JobView job) {
    if (!batch.isWhole(job)) {
      scan(job);
    } else if (retryFailed || job.state() == JobState.ABORTED || job.state() == JobState.FAILED) {
      addWhole(job);
    } else {
      addUnread(job);
    }
  }

  /** A job of exactly this file needs no reading: task n is the n-th request. */
  private void addUnread(JobView job) {
    int used = 0;
    for (int i = 0; i < sources.length; i++) {
      used += decide(i, new Source(job.header().id(), i + 1, BatchJob.isOld(job))) ? 1 : 0;
    }
    // Other lines are answered by a later job: they failed here.
    keep(job, used, sources.length - used);
  }

  /** The same, with a look at the states of the tasks. */
  private void addWhole(JobView job) {
    int[] counts = new int[2];
    TaskJson.each(
        reader, job.header().id(), 1, task -> count(counts, task, use(job, task, task.task() - 1)));
    keep(job, counts[0], counts[1]);
  }

  private static void count(int[] counts, TaskView task, boolean used) {
    counts[0] += used ? 1 : 0;
    counts[1] += !used && task.state() == TaskState.FAILED ? 1 : 0;
  }

  /** Reads which lines the tasks of a job are. */
  private void scan(JobView job) {
    int[] counts = new int[2];
    int[] unwanted = new int[1];
    Set<String> others = new LinkedHashSet<>();
    TaskJson.each(
        reader,
        job.header().id(),
        1,
        task -> {
          BatchLine.Identity identity = BatchLine.Identity.of(task.metadata());
          Integer position = identity == null ? null : positions.get(identity);
          boolean used = position != null && use(job, task, position);
          count(counts, task, used);
          unwanted[0] += !used && !task.state().isFinal() ? 1 : 0;
          if (identity != null && !customIds.contains(identity.customId())) {
            others.add(identity.customId());
          }
        });
    if (unwanted[0] > 0 && !job.state().isFinal() && batch.isOfThisPath(job)) {
      obsolete.add(job.header().id());
    }
    if (counts[0] > 0) {
      removed.addAll(others);
    }
    keep(job, counts[0], counts[1]);
  }

  /** Whether the task is the source of the line at that position. */
  private boolean use(JobView job, TaskView task, int position) {
    if (task.state() == TaskState.ABORTED) {
      return false;
    }
    if (task.state() == TaskState.FAILED && isRetried(job)) {
      retried += decide(position, null) ? 1 : 0;
      return false;
    }
    return decide(position, new Source(job.header().id(), task.task(), BatchJob.isOld(job)));
  }

  /** What failed in a retry that has not ended was retried already by this command. */
  private boolean isRetried(JobView job) {
    boolean unfinishedRetry = BatchJob.isFor(job, BatchJob.Purpose.RETRY) && !job.state().isFinal();
    return retryFailed && !unfinishedRetry;
  }

  private boolean decide(int position, @Nullable Source source) {
    if (decided[position]) {
      return false;
    }
    decided[position] = true;
    undecided--;
    sources[position] = source;
    return true;
  }

  private void keep(JobView job, int used, int failedOthers) {
    if (used > 0) {
      shares.put(job.header().id(), new Share(used, failedOthers));
    }
  }
}

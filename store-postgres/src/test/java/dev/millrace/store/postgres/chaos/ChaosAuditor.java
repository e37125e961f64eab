package dev.millrace.store.postgres.chaos;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.postgres.chaos.StoreClient.Answered;
import dev.millrace.store.postgres.chaos.job.AnswerCheck;
import dev.millrace.store.postgres.chaos.job.ChaosLog;
import dev.millrace.store.postgres.chaos.job.JobConsistency;
import dev.millrace.store.postgres.chaos.job.JobHistory;
import dev.millrace.store.postgres.chaos.job.JobShape;
import dev.millrace.store.postgres.chaos.job.WorkerAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks jobs that have ended, and deletes them when nobody can be about to say anything about them
 * any more: so the database stays as small as one that is pruned.
 */
final class ChaosAuditor {
  /** Longer than any process is frozen that was told something before. */
  private static final Duration QUIET = Duration.ofSeconds(40);

  private static final int MOST_CHANGES = 10;

  private final ChaosRun run;
  private final StoreClient client;
  private final Set<String> children = new HashSet<>();

  ChaosAuditor(ChaosRun run, StoreClient client) {
    this.run = run;
    this.client = client;
  }

  /** Deletes what has ended long ago. */
  void step() throws InterruptedException {
    run.linger(2_000);
    adoptChildren();
    Instant before = Instant.now().minus(QUIET);
    List<JobHistory> aborted = new ArrayList<>();
    for (JobHistory job : run.history().jobs()) {
      JobView view = find(job.id());
      boolean old = view != null && view.state().isFinal() && view.completedAt().isBefore(before);
      if (run.ended() || !old) {
        continue;
      }
      check(job);
      if (view.state() == JobState.ABORTED) {
        aborted.add(job);
      } else {
        delete(job);
      }
    }
    if (!aborted.isEmpty() && !run.ended()) {
      prune(aborted, before);
    }
  }

  private @Nullable JobView find(JobId id) throws InterruptedException {
    try {
      return client.ask(store -> store.find(id)).value().orElse(null);
    } catch (JobException e) {
      run.history().problem(e.toString());
      return null;
    }
  }

  private void delete(JobHistory job) throws InterruptedException {
    Answered<Outcome> answer = client.ask(store -> store.delete(job.id()));
    if (!answer.value().isDone() && answer.sure()) {
      run.history().problem("job " + job.id() + " cannot be deleted: " + answer.value());
    }
    run.history().deleted(job.id());
    run.history().count("deleted");
  }

  private void prune(List<JobHistory> aborted, Instant before) throws InterruptedException {
    Answered<Integer> answer = client.ask(store -> store.prune(before, Set.of(JobState.ABORTED)));
    if (answer.sure() && answer.value() != aborted.size()) {
      run.history().problem("pruned " + answer.value() + " jobs instead of " + aborted.size());
    }
    aborted.forEach(job -> run.history().deleted(job.id()));
    run.history().count("pruned");
  }

  /** Servers submit jobs, too: what they have submitted is known from the database alone. */
  private void adoptChildren() throws InterruptedException {
    for (JobId id : client.ask(store -> store.list(JobReader.Query.all())).value()) {
      if (run.history().job(id) == null && !run.history().isDeleted(id)) {
        adopt(id);
      }
    }
    run.history().settle();
  }

  private void adopt(JobId id) throws InterruptedException {
    JobSpec spec = client.ask(store -> store.spec(id)).value().orElse(null);
    String name = spec == null ? "" : String.valueOf(spec.name());
    if (run.history().job(id) != null || spec == null) {
      return; // it was submitted, or deleted, in the meantime
    }
    if (!name.startsWith(JobShape.CHILD_NAME) || !children.add(name)) {
      run.history().problem("nobody has submitted job " + id + " \"" + name + "\"");
    }
    run.history().begin(new JobHistory(id, JobShape.CHILD, spec)).acknowledge();
    run.history().count("submitted by a server");
  }

  private void check(JobHistory job) throws InterruptedException {
    try {
      client.ask(store -> problems(store, job)).value().forEach(run.history()::problem);
    } catch (JobException e) {
      run.history().problem(e.toString());
    }
    run.history().count("checked");
  }

  private List<String> problems(JobReader reader, JobHistory job) {
    JobView view = reader.find(job.id()).orElseThrow();
    ChaosLog log = ChaosLog.read(reader, job.id());
    for (int i = 0; i < MOST_CHANGES && log.entries().size() != view.lastEvent(); i++) {
      view = reader.find(job.id()).orElseThrow(); // a user has described it in the meantime
      log = ChaosLog.read(reader, job.id());
    }
    JobSpec spec = job.spec() == null ? reader.spec(job.id()).orElseThrow() : job.spec();
    List<String> problems = new ArrayList<>(JobConsistency.problems(reader, spec, view, log));
    problems.addAll(AnswerCheck.problems(reader, job, view, log, run.begin()));
    return problems;
  }

  /** Checks all that is left, when nothing happens any more. */
  void checkAll() throws InterruptedException {
    adoptChildren();
    for (WorkerAnswer answer : run.history().settle()) {
      run.history().problem("for a job that is not there: " + answer);
    }
    for (JobHistory job : run.history().jobs()) {
      boolean there = client.ask(store -> store.state(job.id())).value().isPresent();
      if (there) {
        check(job);
      } else if (job.isAcknowledged()) {
        run.history().problem("acknowledged and lost: " + job);
      }
    }
    checkKeys();
    for (JobId id : run.history().deletedJobs()) {
      if (client.ask(store -> store.state(id)).value().isPresent()) {
        run.history().problem("deleted, and there again: job " + id);
      }
    }
  }

  /** A key stands for its job for ever, also after a crash of the database. */
  private void checkKeys() throws InterruptedException {
    for (Map.Entry<String, JobId> key : run.history().keys().entrySet()) {
      String noted =
          client
              .ask(store -> store.readNote(ChaosSubmitter.KEYS, key.getKey()))
              .value()
              .orElse("no job");
      if (!noted.equals(key.getValue().value())) {
        run.history()
            .problem(
                "key " + key.getKey() + " stands for " + noted + " instead of " + key.getValue());
      }
      run.history().count("key checked");
    }
  }
}

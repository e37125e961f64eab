package dev.millrace.http.metrics;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.QueueStats;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A store that measures the claims and results of workers. Built-in and remote workers both use it,
 * so that nothing has to be read again.
 */
final class MeteredStore implements JobStore {
  private final JobStore store;
  private final TaskMeter meter;

  MeteredStore(JobStore store, TaskMeter meter) {
    this.store = store;
    this.meter = meter;
  }

  @Override
  public JobId submit(JobSpec spec) {
    return store.submit(spec);
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    return store.submit(spec, id);
  }

  @Override
  public Optional<JobState> state(JobId id) {
    return store.state(id);
  }

  @Override
  public Optional<JobView> find(JobId id) {
    return store.find(id);
  }

  @Override
  public List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    return store.tasks(id, stage, from, limit);
  }

  @Override
  public Optional<TaskView> task(JobId id, int stage, int task) {
    return store.task(id, stage, task);
  }

  @Override
  public OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    return store.outputSoFar(id, stage, task, from);
  }

  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    return store.queuePosition(id);
  }

  @Override
  public List<LogEntry> events(JobId id, long after, int limit) {
    return store.events(id, after, limit);
  }

  @Override
  public Optional<JobSpec> spec(JobId id) {
    return store.spec(id);
  }

  @Override
  public List<JobId> list(Query query) {
    return store.list(query);
  }

  @Override
  public Map<JobState, Integer> counts() {
    return store.counts();
  }

  @Override
  public QueueStats queueStats() {
    return store.queueStats();
  }

  @Override
  public void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    store.awaitChange(id, atMost);
  }

  @Override
  public Outcome pause(JobId id, Cause cause) {
    return store.pause(id, cause);
  }

  @Override
  public Outcome resume(JobId id, Cause cause) {
    return store.resume(id, cause);
  }

  @Override
  public Outcome abort(JobId id, Cause cause) {
    return store.abort(id, cause);
  }

  @Override
  public Outcome approve(JobId id, int stage, Cause cause) {
    return store.approve(id, stage, cause);
  }

  @Override
  public Outcome hold(JobId id, int stage, Cause cause) {
    return store.hold(id, stage, cause);
  }

  @Override
  public Added addStage(JobId id, StageSpec spec, Cause cause) {
    return store.addStage(id, spec, cause);
  }

  @Override
  public Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return store.addTasks(id, stage, tasks, cause);
  }

  @Override
  public Outcome prioritize(JobId id, Priority priority, Cause cause) {
    return store.prioritize(id, priority, cause);
  }

  @Override
  public Outcome replaceMetadata(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return store.replaceMetadata(id, stage, task, metadata, cause);
  }

  @Override
  public Outcome delete(JobId id) {
    return store.delete(id);
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return store.prune(before, states);
  }

  @Override
  public List<Claim> claim(ClaimRequest demand) {
    List<Claim> claims = store.claim(demand);
    claims.forEach(meter::claimed);
    return claims;
  }

  @Override
  public Optional<Claim> findClaim(JobId id, int stage, int task) {
    return store.findClaim(id, stage, task);
  }

  @Override
  public Outcome complete(Claim claim, TaskResult result) {
    return meter.answered(claim, "completed", store.complete(claim, result));
  }

  @Override
  public Outcome fail(Claim claim, Failure failure) {
    return meter.answered(claim, "failed", store.fail(claim, failure));
  }

  @Override
  public Outcome release(Claim claim, String reason) {
    return meter.answered(claim, "released", store.release(claim, reason));
  }

  @Override
  public ClaimSignal heartbeat(Claim claim, boolean progress) {
    return meter.pulsed(claim, store.heartbeat(claim, progress));
  }

  @Override
  public Outcome freeze(Claim claim, JsonObject terms) {
    return store.freeze(claim, terms);
  }

  @Override
  public ClaimSignal appendJournal(Claim claim, OutputChunk piece) {
    return meter.pulsed(claim, store.appendJournal(claim, piece));
  }

  @Override
  public void onLever(Consumer<JobId> watcher) {
    store.onLever(watcher);
  }

  @Override
  public void log(Claim claim, String level, String line) {
    store.log(claim, level, line);
  }

  @Override
  public int sweep() {
    return meter.swept(store.sweep());
  }

  @Override
  public long awaitWork(long seen, Duration atMost) throws InterruptedException {
    return store.awaitWork(seen, atMost);
  }

  @Override
  public boolean isIdle(Set<String> types) {
    return store.isIdle(types);
  }

  @Override
  public Optional<String> readNote(String shelf, String name) {
    return store.readNote(shelf, name);
  }

  @Override
  public List<String> noteNames(String shelf) {
    return store.noteNames(shelf);
  }

  @Override
  public void writeNote(String shelf, String name, String text) {
    store.writeNote(shelf, name, text);
  }

  @Override
  public void deleteNote(String shelf, String name) {
    store.deleteNote(shelf, name);
  }

  @Override
  public Subscription onChange(Consumer<JobId> watcher) {
    return store.onChange(watcher);
  }

  @Override
  public void close() {
    store.close();
  }
}

package dev.millrace.server.http.meter;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Census;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A store that has its workers' claims and answers measured on their way: built-in workers and those
 * elsewhere come this way alike, and nothing has to be read again for it.
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
  public Draft draft(JobId id, int stage, int task, long from) {
    return store.draft(id, stage, task, from);
  }

  @Override
  public Optional<QueuePlace> queuePlace(JobId id) {
    return store.queuePlace(id);
  }

  @Override
  public List<Entry> events(JobId id, long after, int limit) {
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
  public Census census() {
    return store.census();
  }

  @Override
  public void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    store.awaitChange(id, atMost);
  }

  @Override
  public Answer pause(JobId id, Cause cause) {
    return store.pause(id, cause);
  }

  @Override
  public Answer resume(JobId id, Cause cause) {
    return store.resume(id, cause);
  }

  @Override
  public Answer abort(JobId id, Cause cause) {
    return store.abort(id, cause);
  }

  @Override
  public Answer approve(JobId id, int stage, Cause cause) {
    return store.approve(id, stage, cause);
  }

  @Override
  public Answer hold(JobId id, int stage, Cause cause) {
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
  public Answer prioritize(JobId id, Priority priority, Cause cause) {
    return store.prioritize(id, priority, cause);
  }

  @Override
  public Answer describe(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return store.describe(id, stage, task, metadata, cause);
  }

  @Override
  public Answer delete(JobId id) {
    return store.delete(id);
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return store.prune(before, states);
  }

  @Override
  public List<Claim> claim(Demand demand) {
    List<Claim> claims = store.claim(demand);
    claims.forEach(meter::claimed);
    return claims;
  }

  @Override
  public Optional<Claim> held(JobId id, int stage, int task) {
    return store.held(id, stage, task);
  }

  @Override
  public Answer complete(Claim claim, TaskResult result) {
    return meter.answered(claim, "completed", store.complete(claim, result));
  }

  @Override
  public Answer fail(Claim claim, Failure failure) {
    return meter.answered(claim, "failed", store.fail(claim, failure));
  }

  @Override
  public Answer release(Claim claim, String reason) {
    return meter.answered(claim, "released", store.release(claim, reason));
  }

  @Override
  public Pulse heartbeat(Claim claim, boolean progress) {
    return meter.pulsed(claim, store.heartbeat(claim, progress));
  }

  @Override
  public Answer freeze(Claim claim, JsonObject terms) {
    return store.freeze(claim, terms);
  }

  @Override
  public Pulse journal(Claim claim, Piece piece) {
    return meter.pulsed(claim, store.journal(claim, piece));
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
  public boolean idle(Set<String> types) {
    return store.idle(types);
  }

  @Override
  public Optional<String> note(String shelf, String name) {
    return store.note(shelf, name);
  }

  @Override
  public List<String> names(String shelf) {
    return store.names(shelf);
  }

  @Override
  public void keep(String shelf, String name, String text) {
    store.keep(shelf, name, text);
  }

  @Override
  public void drop(String shelf, String name) {
    store.drop(shelf, name);
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

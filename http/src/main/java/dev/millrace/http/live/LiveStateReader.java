package dev.millrace.http.live;

import dev.millrace.api.live.GatedJob;
import dev.millrace.api.live.LiveCounts;
import dev.millrace.api.live.LiveState;
import dev.millrace.api.live.WaitingJob;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.stats.QueueHead;
import dev.millrace.core.store.stats.QueueHead.QueuedJob;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.task.TaskState;
import dev.millrace.server.infer.InferenceStats;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Puts the live state together, from what is in memory. The store is asked for its counts, the head
 * of its queue and the jobs at a gate, each at rest. Used by one thread at a time.
 */
final class LiveStateReader {
  /** The most waiting jobs, and jobs at a gate, that are shown. */
  static final int MAX_JOBS = 20;

  private static final Duration COUNTS_AGE = Duration.ofMillis(400);
  private static final Duration GATES_AGE = Duration.ofSeconds(1);
  private static final StatusCounts NO_COUNTS =
      new StatusCounts(false, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), 0, 0);

  private final JobStore store;
  private final RunningTaskList running;
  private final WorkRates rates;
  private final ServerAccess access;
  private final InstantSource clock;
  private final JobNames names;
  private final ThrottledValue<StatusCounts> counts;
  private final ThrottledValue<QueueHead> queue;
  private final ThrottledValue<List<GatedJob>> atGate;

  LiveStateReader(
      JobStore store,
      RunningTaskList running,
      WorkRates rates,
      ServerAccess access,
      InstantSource clock) {
    this.store = store;
    this.running = running;
    this.rates = rates;
    this.access = access;
    this.clock = clock;
    this.names = new JobNames(store);
    this.counts = new ThrottledValue<>("counts", store::statusCounts, NO_COUNTS, COUNTS_AGE);
    this.queue =
        new ThrottledValue<>(
            "queue", () -> store.queueHead(MAX_JOBS), QueueHead.UNKNOWN, COUNTS_AGE);
    this.atGate = new ThrottledValue<>("gates", this::gatedJobs, List.of(), GATES_AGE);
  }

  LiveState read() {
    names.beginLook();
    StatusCounts counted = counts.get();
    QueueHead head = queue.get();
    RunningTaskList.Shown tasks = running.read(names);
    InferenceStats stats = access.models().get();
    return new LiveState(
        clock.instant(),
        counts(counted),
        waiting(head),
        head.waiting(),
        counted.atGate() == 0 ? List.of() : atGate.get(),
        tasks.tasks(),
        tasks.total(),
        rates.now(),
        ModelLoads.of(stats));
  }

  private static LiveCounts counts(StatusCounts of) {
    Map<StageState, Long> stages = new EnumMap<>(StageState.class);
    Map<TaskState, Long> tasks = new EnumMap<>(TaskState.class);
    of.stages().forEach((group, count) -> stages.merge(group.state(), count, Long::sum));
    of.tasks().forEach((group, count) -> tasks.merge(group.state(), count, Long::sum));
    return new LiveCounts(of.jobs(), stages, tasks, of.atGate(), of.complete());
  }

  private List<WaitingJob> waiting(QueueHead head) {
    List<WaitingJob> jobs = new ArrayList<>();
    for (QueuedJob job : head.first()) {
      jobs.add(
          new WaitingJob(
              EntityId.of(job.id()).uuid(),
              job.id(),
              names.of(job.id()),
              job.type(),
              job.priority(),
              jobs.size() + 1,
              job.eta(),
              job.createdAt()));
    }
    return jobs;
  }

  /** May take long where many jobs wait: only their files say whether they have a gate. */
  private List<GatedJob> gatedJobs() {
    List<GatedJob> jobs = new ArrayList<>();
    for (JobId id : store.list(Query.waitingForApproval().oldest(MAX_JOBS))) {
      store.find(id).flatMap(LiveStateReader::gated).ifPresent(jobs::add);
    }
    return jobs;
  }

  private static Optional<GatedJob> gated(JobView job) {
    JobId id = job.header().id();
    return job.stageAtGate()
        .map(
            stage ->
                new GatedJob(
                    EntityId.of(id).uuid(),
                    id,
                    job.header().name(),
                    stage.number(),
                    EntityId.of(id, stage.number()).uuid()));
  }
}

package dev.millrace.core.internal.count;

import dev.millrace.core.internal.count.JobCounts.QueuedTasks;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.store.stats.StatusCounts.QueueGroup;
import dev.millrace.core.store.stats.StatusCounts.StageGroup;
import dev.millrace.core.store.stats.StatusCounts.TaskGroup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts jobs, stages and tasks by state. It remembers what each job adds, so that a job is counted
 * once however often it is reported, and is subtracted as it was added. Reading the counts costs as
 * much as there are groups, whatever the number of jobs. Thread-safe.
 */
final class StatusCounter {
  static final int MAX_TYPES = 1_000;

  /** Seconds are kept in an int: from here until 2088. */
  private static final long EPOCH = Instant.parse("2020-01-01T00:00:00Z").getEpochSecond();

  private final CountedJobs jobs = new CountedJobs();
  private final Map<SharedCounts, SharedCounts> shapes = new HashMap<>();
  private final Map<Object, Integer> numbers = new HashMap<>();
  private final List<Object> groups = new ArrayList<>();
  private final Set<String> types = new HashSet<>();
  private long[] totals = new long[64];

  /** How many jobs with waiting tasks were created in each second. */
  private final Map<QueueGroup, TreeMap<Integer, Integer>> waiting = new HashMap<>();

  /** Counts a job as it is now, whether or not it was counted before. */
  synchronized void put(JobId id, JobCounts counts) {
    long key = CountedJobs.key(id);
    int slot = jobs.find(key);
    if (slot < 0) {
      add(key, counts);
      return;
    }
    SharedCounts before = jobs.shape(slot);
    int created = jobs.created(slot);
    add(key, counts); // first, so that a shape that stays the same stays known
    subtract(before, created);
  }

  /** Counts a job unless it is counted already; true if it was not. */
  synchronized boolean putIfAbsent(JobId id, JobCounts counts) {
    boolean absent = !contains(id);
    if (absent) {
      add(CountedJobs.key(id), counts);
    }
    return absent;
  }

  synchronized boolean contains(JobId id) {
    return jobs.find(CountedJobs.key(id)) >= 0;
  }

  /** Subtracts what a deleted job has added. */
  synchronized void remove(JobId id) {
    int slot = jobs.find(CountedJobs.key(id));
    if (slot >= 0) {
      subtract(jobs.shape(slot), jobs.created(slot));
      jobs.remove(slot);
    }
  }

  /** Forgets everything; needs no memory. */
  synchronized void clear() {
    jobs.clear();
    shapes.clear();
    numbers.clear();
    groups.clear();
    types.clear();
    waiting.clear();
    Arrays.fill(totals, 0);
  }

  private void add(long key, JobCounts counts) {
    SharedCounts shape = share(counts);
    int created = seconds(counts.createdAt());
    shape.jobs++;
    change(shape, created, 1);
    jobs.put(key, shape, created);
  }

  private void subtract(SharedCounts shape, int created) {
    change(shape, created, -1);
    if (--shape.jobs == 0) {
      shapes.remove(shape);
    }
  }

  private void change(SharedCounts shape, int created, int sign) {
    for (int i = 0; i < shape.pairs.length; i += 2) {
      totals[shape.pairs[i]] += (long) sign * shape.pairs[i + 1];
    }
    for (QueueGroup queue : shape.queues) {
      TreeMap<Integer, Integer> seconds = waiting.computeIfAbsent(queue, _ -> new TreeMap<>());
      seconds.merge(created, sign, (a, b) -> a + b == 0 ? null : a + b);
      if (seconds.isEmpty()) {
        waiting.remove(queue);
      }
    }
  }

  private static int seconds(Instant time) {
    return Math.clamp(time.getEpochSecond() - EPOCH, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /** The shared form of what a job adds; jobs that add the same have the same one. */
  private SharedCounts share(JobCounts counts) {
    Map<Integer, Integer> sorted = new TreeMap<>();
    counts.groups().forEach((group, count) -> sorted.merge(number(group), count, Integer::sum));
    int[] pairs = new int[2 * sorted.size()];
    int at = 0;
    for (Map.Entry<Integer, Integer> each : sorted.entrySet()) {
      pairs[at++] = each.getKey();
      pairs[at++] = each.getValue();
    }
    return shapes.computeIfAbsent(new SharedCounts(pairs, Set.of()), this::withQueues);
  }

  private SharedCounts withQueues(SharedCounts shape) {
    Set<QueueGroup> queues = new HashSet<>();
    for (int i = 0; i < shape.pairs.length; i += 2) {
      if (groups.get(shape.pairs[i]) instanceof QueuedTasks(TaskGroup group)
          && group.state().isQueued()) {
        queues.add(new QueueGroup(group.type(), group.priority()));
      }
    }
    return new SharedCounts(shape.pairs, Set.copyOf(queues));
  }

  private int number(Object group) {
    Object bounded =
        switch (group) {
          case StageGroup(var state, String type) -> new StageGroup(state, bounded(type));
          case TaskGroup of -> bounded(of);
          case QueuedTasks(TaskGroup of) -> new QueuedTasks(bounded(of));
          default -> group;
        };
    return numbers.computeIfAbsent(
        bounded,
        added -> {
          groups.add(added);
          if (groups.size() > totals.length) {
            totals = Arrays.copyOf(totals, 2 * totals.length);
          }
          return groups.size() - 1;
        });
  }

  private TaskGroup bounded(TaskGroup group) {
    return new TaskGroup(group.state(), bounded(group.type()), group.priority());
  }

  /** Users choose types, so only the first ones are counted apart. */
  private String bounded(String type) {
    if (types.contains(type) || types.size() < MAX_TYPES && types.add(type)) {
      return type;
    }
    return StatusCounts.OTHER_TYPES;
  }

  synchronized StatusCounts counts(boolean complete) {
    Map<JobState, Long> byJob = new EnumMap<>(JobState.class);
    Map<StageGroup, Long> byStage = new HashMap<>();
    Map<TaskGroup, Long> byTask = new HashMap<>();
    Map<TaskGroup, Long> queue = new HashMap<>();
    long atGate = 0;
    long unreadable = 0;
    for (int i = 0; i < groups.size(); i++) {
      if (totals[i] != 0) {
        switch (groups.get(i)) {
          case JobState state -> byJob.put(state, totals[i]);
          case StageGroup group -> byStage.put(group, totals[i]);
          case TaskGroup group -> byTask.put(group, totals[i]);
          case QueuedTasks(TaskGroup group) -> queue.put(group, totals[i]);
          case JobCounts.Gate _ -> atGate = totals[i];
          case JobCounts.Unreadable _ -> unreadable = totals[i];
          default -> throw new IllegalStateException("no group: " + groups.get(i));
        }
      }
    }
    Map<QueueGroup, Instant> oldest = new HashMap<>();
    waiting.forEach(
        (group, seconds) -> oldest.put(group, Instant.ofEpochSecond(EPOCH + seconds.firstKey())));
    return new StatusCounts(complete, byJob, byStage, byTask, queue, oldest, atGate, unreadable);
  }

  /** How many jobs are counted, and how many shapes they share. */
  synchronized String sizes() {
    return jobs.size() + " jobs, " + shapes.size() + " shapes";
  }
}

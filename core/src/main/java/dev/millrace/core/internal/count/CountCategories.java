package dev.millrace.core.internal.count;

import dev.millrace.core.internal.count.JobCounts.QueuedTasks;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.store.stats.StatusCounts.QueueGroup;
import dev.millrace.core.store.stats.StatusCounts.StageGroup;
import dev.millrace.core.store.stats.StatusCounts.TaskGroup;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The groups that are counted, as texts, for a store that keeps the counts of all servers as rows.
 * A text is a JSON list, because users choose the types. Not thread-safe.
 */
public final class CountCategories {
  private final Map<JobState, Long> jobs = new EnumMap<>(JobState.class);
  private final Map<StageGroup, Long> stages = new HashMap<>();
  private final Map<TaskGroup, Long> tasks = new HashMap<>();
  private final Map<TaskGroup, Long> queue = new HashMap<>();
  private final Map<QueueGroup, Long> waiting = new HashMap<>();
  private long atGate;

  /** What a job adds to each category. */
  public static Map<String, Long> of(JobCounts counts) {
    Map<String, Long> categories = new HashMap<>();
    counts
        .groups()
        .forEach(
            (group, count) -> {
              categories.merge(text(group), (long) count, Long::sum);
              if (group instanceof QueuedTasks(TaskGroup of) && of.state().isQueued()) {
                categories.put(category("waiting", of.type(), of.priority()), 1L);
              }
            });
    return categories;
  }

  private static String text(Object group) {
    return switch (group) {
      case JobState state -> category("job", state);
      case StageGroup(StageState state, String type) -> category("stage", state, type);
      case TaskGroup(TaskState state, String type, Priority priority) ->
          category("task", state, type, priority);
      case QueuedTasks(TaskGroup(TaskState state, String type, Priority priority)) ->
          category("queue", state, type, priority);
      case JobCounts.Gate _ -> category("gate");
      default -> throw new IllegalArgumentException("no group that is kept: " + group);
    };
  }

  private static String category(Object... words) {
    List<String> texts = new ArrayList<>();
    for (Object word : words) {
      texts.add(word.toString());
    }
    return Json.write(texts);
  }

  /** Adds a category that was read. */
  public void add(String category, long count) {
    List<?> words = (List<?>) Json.parse(category);
    if (words == null || count == 0) {
      return;
    }
    String kind = (String) words.get(0);
    switch (kind) {
      case "job" -> jobs.merge(JobState.valueOf(word(words, 1)), count, Long::sum);
      case "stage" ->
          stages.merge(
              new StageGroup(StageState.valueOf(word(words, 1)), word(words, 2)), count, Long::sum);
      case "task" -> tasks.merge(taskGroup(words), count, Long::sum);
      case "queue" -> queue.merge(taskGroup(words), count, Long::sum);
      case "waiting" ->
          waiting.merge(
              new QueueGroup(word(words, 1), Priority.valueOf(word(words, 2))), count, Long::sum);
      case "gate" -> atGate += count;
      default -> {} // of a newer version
    }
  }

  private static TaskGroup taskGroup(List<?> words) {
    return new TaskGroup(
        TaskState.valueOf(word(words, 1)), word(words, 2), Priority.valueOf(word(words, 3)));
  }

  private static String word(List<?> words, int at) {
    return (String) words.get(at);
  }

  /** How many jobs are in each state. */
  public Map<JobState, Integer> jobs() {
    Map<JobState, Integer> counts = new EnumMap<>(JobState.class);
    jobs.forEach((state, count) -> counts.put(state, Math.toIntExact(count)));
    return counts;
  }

  /** The groups in which jobs wait: only their oldest ones have to be looked for. */
  public Set<QueueGroup> waiting() {
    return waiting.keySet();
  }

  /**
   * @param oldest when the oldest job of each group was created
   * @param unreadable how many jobs cannot be read
   */
  public StatusCounts statusCounts(Map<QueueGroup, Instant> oldest, long unreadable) {
    Set<String> types = new HashSet<>();
    Map<StageGroup, Long> byStage = new HashMap<>();
    stages.forEach(
        (group, count) ->
            byStage.merge(
                new StageGroup(group.state(), bounded(types, group.type())), count, Long::sum));
    Map<QueueGroup, Instant> bySecond = new HashMap<>();
    oldest.forEach(
        (group, time) ->
            bySecond.merge(
                new QueueGroup(bounded(types, group.type()), group.priority()),
                time.truncatedTo(ChronoUnit.SECONDS),
                (a, b) -> a.isBefore(b) ? a : b));
    Map<JobState, Long> byState = new EnumMap<>(JobState.class);
    byState.putAll(jobs);
    return new StatusCounts(
        true,
        byState,
        byStage,
        bounded(types, tasks),
        bounded(types, queue),
        bySecond,
        atGate,
        unreadable);
  }

  private static Map<TaskGroup, Long> bounded(Set<String> types, Map<TaskGroup, Long> counts) {
    Map<TaskGroup, Long> bounded = new HashMap<>();
    counts.forEach(
        (group, count) ->
            bounded.merge(
                new TaskGroup(group.state(), bounded(types, group.type()), group.priority()),
                count,
                Long::sum));
    return bounded;
  }

  private static String bounded(Set<String> types, String type) {
    return types.contains(type) || types.size() < StatusCounter.MAX_TYPES && types.add(type)
        ? type
        : StatusCounts.OTHER_TYPES;
  }

  /**
   * @param oldest when the oldest job of each group was created
   */
  public QueueStats queueStats(Map<QueueGroup, Instant> oldest) {
    Set<QueueGroup> groups = new HashSet<>(waiting.keySet());
    queue.keySet().forEach(group -> groups.add(new QueueGroup(group.type(), group.priority())));
    List<QueueStats.TypeStats> types = new ArrayList<>();
    for (QueueGroup group : groups) {
      types.add(
          new QueueStats.TypeStats(
              group.type(),
              group.priority(),
              Math.toIntExact(waiting.getOrDefault(group, 0L)),
              queued(group, TaskState.PENDING),
              queued(group, TaskState.RETRIED),
              queued(group, TaskState.IN_PROGRESS),
              oldest.get(group)));
    }
    types.sort(
        Comparator.comparing(QueueStats.TypeStats::type)
            .thenComparing(QueueStats.TypeStats::priority));
    return new QueueStats(jobs(), types);
  }

  private long queued(QueueGroup group, TaskState state) {
    return queue.getOrDefault(new TaskGroup(state, group.type(), group.priority()), 0L);
  }
}

package dev.millrace.store.postgres.chaos.job;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.store.postgres.chaos.job.TaskText.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The kinds of jobs that are submitted, and how each ends unless somebody aborts it. */
public enum JobShape {
  ONE_TASK(30, JobState.COMPLETED),
  SEVERAL_TASKS(15, JobState.COMPLETED),
  STAGES(15, JobState.COMPLETED),
  GATE(8, JobState.COMPLETED),
  RETRIES(8, JobState.COMPLETED),
  FAILS(4, JobState.FAILED),
  COLLECTS_FAILURES(4, JobState.COMPLETED),
  EXPIRES(2, JobState.FAILED),
  OVERRUNS(2, JobState.COMPLETED),
  HELD(4, JobState.COMPLETED),
  OPEN(6, JobState.COMPLETED),
  REMOTE(10, JobState.COMPLETED),
  /** Submitted by a server, by its own clock; see {@link #child}. */
  CHILD(0, JobState.COMPLETED),
  /** Runs another one again: it ends as that did, or at once. */
  RETRY(0, null);

  /** The type that workers inside of servers take. */
  public static final String WORK = "work";

  /** The type that workers with a lease take, who talk to any server. */
  public static final String REMOTE_WORK = "remote";

  /** How the names of jobs begin that servers submit. */
  public static final String CHILD_NAME = "child-of-";

  private static final String NOBODYS = "nobody";

  /** No crash fails a task: how often one is hit is not up to the job. */
  private static final int MOST_CRASHES = 1_000;

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(200), 2.0, Duration.ofSeconds(1), 0.5);

  private final int weight;
  private final @Nullable JobState end;

  JobShape(int weight, @Nullable JobState end) {
    this.weight = weight;
    this.end = end;
  }

  /** How it ends; null if that is not known. */
  public @Nullable JobState end() {
    return end;
  }

  public static JobShape any(SplittableRandom random) {
    int sum = 0;
    for (JobShape each : values()) {
      sum += each.weight;
    }
    int left = random.nextInt(sum);
    for (JobShape each : values()) {
      left -= each.weight;
      if (left < 0) {
        return each;
      }
    }
    throw new IllegalStateException("weights");
  }

  /**
   * A job of this shape.
   *
   * @param name that no other job has
   */
  public JobSpec spec(String name, SplittableRandom random) {
    Priority[] priorities = Priority.values();
    return JobSpec.builder()
        .name(name)
        .priority(priorities[random.nextInt(priorities.length)])
        .held(this == HELD)
        .open(this == OPEN)
        .stages(stages(name, random))
        .build();
  }

  /** What a server submits while it works on a task. */
  public static JobSpec child(String name) {
    return JobSpec.builder().name(name).stages(List.of(work(Behaviour.OK, name, 1))).build();
  }

  private List<StageSpec> stages(String name, SplittableRandom random) {
    int some = 2 + random.nextInt(6);
    return switch (this) {
      case ONE_TASK, HELD, CHILD, RETRY -> List.of(work(Behaviour.OK, name, 1));
      case SEVERAL_TASKS -> List.of(work(Behaviour.OK, name, some));
      case STAGES -> List.of(work(Behaviour.OK, name, 2), each(), last());
      case GATE -> List.of(work(Behaviour.OK, name, 1), gate(name, 2));
      case RETRIES -> List.of(limited(work(Behaviour.FAILS_TWICE, name, 2), 5, null, null), each());
      case FAILS -> List.of(work(Behaviour.FAILS, name, 2), each());
      case COLLECTS_FAILURES -> List.of(collecting(name));
      case EXPIRES ->
          List.of(limited(tasks(NOBODYS, Behaviour.OK, name, 2), 1, Duration.ofSeconds(2), null));
      case OVERRUNS ->
          List.of(limited(work(Behaviour.HANGS, name, 1), 50, null, Duration.ofSeconds(1)));
      case OPEN -> List.of(work(Behaviour.OK, name, 1), gate(name, 0));
      case REMOTE -> List.of(limited(tasks(REMOTE_WORK, Behaviour.OK, name, 2), 1, null, null));
    };
  }

  private static StageSpec tasks(String type, Behaviour behaviour, String name, int count) {
    List<TaskSpec> tasks = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      tasks.add(TaskSpec.of(behaviour.input(name + "-" + i)));
    }
    return StageSpec.of(type, tasks);
  }

  private static StageSpec work(Behaviour behaviour, String name, int count) {
    return limited(tasks(WORK, behaviour, name, count), 1, null, null);
  }

  private static StageSpec limited(
      StageSpec stage, int attempts, @Nullable Duration queue, @Nullable Duration run) {
    return stage.toBuilder()
        .policy(new TaskPolicy(attempts, BACKOFF, queue, run, MOST_CRASHES))
        .build();
  }

  private static StageSpec gate(String name, int count) {
    return work(Behaviour.OK, name + "-gate", count).toBuilder().gate(true).build();
  }

  private static StageSpec each() {
    return work(Behaviour.OK, "", 0).toBuilder().each(Behaviour.OK.input("{{result}}")).build();
  }

  private static StageSpec last() {
    String both = Behaviour.OK.input("{{results[1]}}{{stages[1].results[2]}}");
    return work(Behaviour.OK, "", 0).withTasks(List.of(new TaskSpec(both, true)));
  }

  private static StageSpec collecting(String name) {
    List<TaskSpec> tasks = new ArrayList<>(work(Behaviour.OK, name + "-good", 3).tasks());
    tasks.addAll(work(Behaviour.FAILS, name + "-bad", 2).tasks());
    return work(Behaviour.OK, name, 0).toBuilder()
        .tolerance(FailureTolerance.ALL)
        .tasks(tasks)
        .build();
  }
}

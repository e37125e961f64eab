package dev.millrace.core.rules;

import dev.millrace.core.rules.Fact.Opening;
import dev.millrace.core.rules.JobPlan.StagePlan;
import dev.millrace.core.stage.Tolerance;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A small job whose whole space is explored: two stages, two attempts, recovery ceiling two.
 *
 * @param templates what the templates of a stage come to when it opens
 * @param holds whether users also hold stages by hand
 */
record Variant(
    String name, JobPlan plan, BiFunction<JobFold, StageFold, Opening> templates, boolean holds) {
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

  private static final TaskPolicy POLICY =
      new TaskPolicy(2, Backoff.DEFAULT, Duration.ofMinutes(10), Duration.ofMinutes(10), 2);

  static List<Variant> all() {
    StagePlan plain = stage(false, Tolerance.NONE, 2, false);
    StagePlan gate = stage(true, Tolerance.NONE, 2, false);
    StagePlan half = stage(false, new Tolerance(true, 0.5), 2, false);
    StagePlan tolerant = stage(false, Tolerance.ALL, 2, false);
    StagePlan each = stage(false, Tolerance.NONE, 0, true);
    StagePlan fanIn = stage(false, Tolerance.NONE, 2, true);
    StagePlan gatedFanIn = stage(true, Tolerance.NONE, 2, true);
    return List.of(
        new Variant("gate", plan(false, plain, gate), Variant::none, false),
        new Variant("no gate", plan(false, plain, plain), Variant::none, false),
        new Variant("submitted on hold", plan(true, plain, plain), Variant::none, false),
        new Variant("collecting half", plan(false, half, half), Variant::none, false),
        new Variant("hold by hand", plan(false, plain, gate), Variant::none, true),
        new Variant("each", plan(false, tolerant, each), Variant::each, false),
        new Variant("each, hold by hand", plan(false, half, each), Variant::each, true),
        new Variant("fan-in behind a gate", plan(false, plain, gatedFanIn), Variant::given, false),
        new Variant("fan-in without answer", plan(false, plain, fanIn), Variant::lost, false));
  }

  private static JobPlan plan(boolean held, StagePlan first, StagePlan second) {
    return new JobPlan(CREATED, held, true, List.of(first, second));
  }

  private static StagePlan stage(boolean gate, Tolerance tolerance, int tasks, boolean template) {
    return new StagePlan("work", gate, tolerance, POLICY, tasks, template);
  }

  private static Opening none(JobFold fold, StageFold stage) {
    throw new IllegalStateException("stage " + stage.number() + " has no templates");
  }

  private static Opening each(JobFold fold, StageFold stage) {
    return new Opening(fold.stage(stage.number() - 1).count(TaskState.COMPLETED), null);
  }

  private static Opening given(JobFold fold, StageFold stage) {
    return new Opening(stage.size(), null);
  }

  private static Opening lost(JobFold fold, StageFold stage) {
    return new Opening(stage.size(), "{{results[9]}}: task 9 has no result");
  }

  /** Whether there is any way to completion. */
  boolean completes() {
    return !name.equals("fan-in without answer");
  }

  @Override
  public String toString() {
    return name;
  }
}

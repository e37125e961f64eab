package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact.Opening;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A small job whose whole state space is explored: two stages, two attempts, recovery ceiling two.
 *
 * @param templates what the templates of a stage are rendered to when it opens
 */
record JobVariant(
    String name,
    JobPlan plan,
    BiFunction<JobFold, StageFold, Opening> templates,
    Set<Trait> traits) {

  /** What can happen in a variant beyond the common actions. */
  enum Trait {
    /** Users hold stages by hand. */
    HOLDS,
    /** Users add stages and tasks. */
    GROWS,
    /** Claims have leases. */
    LEASES,
    /** Its log is of version 1. */
    OLD_LOG,
    /** It is a retry of the same job, which ended in any way it can. */
    ADOPTS
  }

  private static final Set<Trait> ADOPTS = Set.of(Trait.ADOPTS);

  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

  private static final TaskPolicy POLICY =
      new TaskPolicy(2, Backoff.DEFAULT, Duration.ofMinutes(10), Duration.ofMinutes(10), 2);

  static List<JobVariant> all() {
    StagePlan plain = stage(false, FailureTolerance.NONE, 2, false);
    StagePlan gate = stage(true, FailureTolerance.NONE, 2, false);
    StagePlan half = stage(false, new FailureTolerance(true, 0.5), 2, false);
    StagePlan tolerant = stage(false, FailureTolerance.ALL, 2, false);
    StagePlan each = stage(false, FailureTolerance.NONE, 0, true);
    StagePlan fanIn = stage(false, FailureTolerance.NONE, 2, true);
    StagePlan gatedFanIn = stage(true, FailureTolerance.NONE, 2, true);
    return List.of(
        new JobVariant("gate", plan(false, plain, gate), JobVariant::none, Set.of()),
        new JobVariant(
            "gate, old log", plan(false, plain, gate), JobVariant::none, Set.of(Trait.OLD_LOG)),
        new JobVariant("no gate", plan(false, plain, plain), JobVariant::none, Set.of()),
        new JobVariant("submitted on hold", plan(true, plain, plain), JobVariant::none, Set.of()),
        new JobVariant("collecting half", plan(false, half, half), JobVariant::none, Set.of()),
        new JobVariant(
            "hold by hand", plan(false, plain, gate), JobVariant::none, Set.of(Trait.HOLDS)),
        new JobVariant("each", plan(false, tolerant, each), JobVariant::each, Set.of()),
        new JobVariant(
            "each, hold by hand", plan(false, half, each), JobVariant::each, Set.of(Trait.HOLDS)),
        new JobVariant(
            "each, hold by hand, old log",
            plan(false, plain, each),
            JobVariant::each,
            Set.of(Trait.HOLDS, Trait.OLD_LOG)),
        new JobVariant(
            "fan-in behind a gate", plan(false, plain, gatedFanIn), JobVariant::given, Set.of()),
        new JobVariant(
            "fan-in without answer", plan(false, plain, fanIn), JobVariant::lost, Set.of()),
        new JobVariant(
            "leased claims", plan(false, half, plain), JobVariant::none, Set.of(Trait.LEASES)),
        new JobVariant("grows on hold", open(true), JobVariant::each, Set.of(Trait.GROWS)),
        new JobVariant("retry, gate", plan(false, plain, gate), JobVariant::none, ADOPTS),
        new JobVariant("retry, each", plan(false, tolerant, each), JobVariant::each, ADOPTS),
        new JobVariant(
            "retry, fan-in behind a gate",
            plan(false, half, gatedFanIn),
            JobVariant::given,
            ADOPTS));
  }

  private static JobPlan plan(boolean held, StagePlan first, StagePlan second) {
    return new JobPlan(CREATED, held, true, List.of(first, second));
  }

  private static JobPlan open(boolean held) {
    return new JobPlan(CREATED, held, false, List.of());
  }

  /** The same job, submitted for the first time. */
  JobVariant first() {
    return new JobVariant(name + ", first", plan, templates, Set.of());
  }

  int logVersion() {
    return has(Trait.OLD_LOG) ? 1 : LogEntryJson.VERSION;
  }

  boolean has(Trait trait) {
    return traits.contains(trait);
  }

  /**
   * What can be added as the next stage: at most two, the second also behind a gate or with
   * {@code each}.
   */
  List<StageSpec> additions(int stages) {
    FailureTolerance none = FailureTolerance.NONE;
    return switch (stages) {
      case 0 -> List.of(added(false, FailureTolerance.ALL, null));
      case 1 ->
          List.of(
              added(false, none, null), added(true, none, null), added(false, none, "{{result}}"));
      default -> List.of();
    };
  }

  private static StageSpec added(boolean gate, FailureTolerance tolerance, @Nullable String each) {
    return StageSpec.builder("work")
        .gate(gate)
        .tolerance(tolerance)
        .policy(POLICY)
        .each(each)
        .build();
  }

  private static StagePlan stage(
      boolean gate, FailureTolerance tolerance, int tasks, boolean template) {
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

  /** Whether the job can complete at all. */
  boolean completes() {
    return !name.equals("fan-in without answer");
  }

  @Override
  public String toString() {
    return name;
  }
}

package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.ExploredState.Place;
import dev.millrace.core.internal.rules.JobVariant.Trait;
import dev.millrace.core.internal.rules.TransitionListener.Transition;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Everything that users, workers and the system can try in a state, each on a copy of it. */
final class PossibleActions {

  /** Who takes an edge: a user, a correct worker, or anything else that can happen to a job. */
  enum Kind {
    USER,
    DILIGENT,
    TROUBLE,
    /** An answer to a former owner's claim; it must change nothing. */
    STALE
  }

  /**
   * An action that was tried.
   *
   * @param recorded whether it added to the log
   */
  record Step(
      String verb,
      Place at,
      Kind kind,
      Outcome outcome,
      ExploredState after,
      List<Transition> moves,
      boolean recorded) {
    String name() {
      return verb + " " + at.stage() + "/" + at.task();
    }
  }

  private static final Place JOB = new Place(0, 0);
  private static final Cause ANY = Cause.user("u", null);

  private final JobVariant variant;
  private final ExploredState from;
  private final List<Step> steps = new ArrayList<>();

  private PossibleActions(JobVariant variant, ExploredState from) {
    this.variant = variant;
    this.from = from;
  }

  static List<Step> of(JobVariant variant, ExploredState from) {
    PossibleActions verbs = new PossibleActions(variant, from);
    verbs.job();
    for (StageFold stage : from.fold().stages()) {
      verbs.stage(stage.number());
      for (int task = 1; task <= stage.size(); task++) {
        verbs.task(new Place(stage.number(), task));
      }
    }
    return verbs.steps;
  }

  private void job() {
    if (from.fold().state() == JobState.CREATED && variant.has(Trait.ADOPTS)) {
      RetriedJobs.endings(variant.first()).forEach(this::retry);
    } else if (from.fold().state() == JobState.CREATED) {
      attempt(
          "enqueue",
          JOB,
          Kind.DILIGENT,
          update -> {
            update.record(new Fact.Submitted(variant.logVersion()));
            update.runCascade();
            return Outcome.DONE;
          });
    }
    for (JobEvent lever :
        List.of(JobEvent.START, JobEvent.RESUME, JobEvent.PAUSE, JobEvent.ABORT)) {
      attempt(
          lever.name(),
          JOB,
          Kind.USER,
          update -> LeverRules.applyToJob(update, lever, Cause.user("u", null)));
    }
    attempt(
        "settle",
        JOB,
        Kind.STALE,
        update -> {
          update.runCascade();
          return Outcome.DONE;
        });
    if (variant.has(Trait.GROWS)) {
      grow();
    }
    crash();
  }

  private void retry(JobFold ended) {
    attempt(
        "retry",
        JOB,
        Kind.DILIGENT,
        update -> {
          update.record(new Fact.Submitted());
          AdoptionRules.adopt(update, new RetriedJobs.Ended(ended));
          update.runCascade();
          return Outcome.DONE;
        });
  }

  private void crash() {
    List<Transition> moves = new ArrayList<>();
    ExploredState copy = from.copy(moves::add);
    ExploredState next = new ExploredState(copy.fold(), from.epoch() + 1, from.stale());
    JobUpdate update = turn(next);
    ClaimRules.recover(update, epoch -> epoch != next.epoch(), _ -> AttemptProgress.STARTED);
    update.runCascade();
    steps.add(
        new Step(
            "crash",
            JOB,
            Kind.TROUBLE,
            Outcome.DONE,
            next.remembering(from),
            moves,
            !update.entries().isEmpty()));
  }

  private void stage(int stage) {
    attempt(
        "approve",
        new Place(stage, 0),
        Kind.USER,
        update -> LeverRules.approve(update, stage, Cause.user("u", "looks good")));
    if (variant.has(Trait.HOLDS)) {
      attempt(
          "hold",
          new Place(stage, 0),
          Kind.USER,
          update -> LeverRules.hold(update, stage, Cause.user("u", null)));
    }
    if (variant.has(Trait.GROWS)) {
      Place at = new Place(stage, 0);
      attempt(
          "close", at, Kind.USER, update -> AdditionRules.addTasks(update, stage, List.of(), ANY));
      if (from.fold().stage(stage).size() < (stage == 1 ? 2 : 1)) {
        List<TaskSpec> one = List.of(TaskSpec.of("more"));
        attempt(
            "add task", at, Kind.USER, update -> AdditionRules.addTasks(update, stage, one, ANY));
      }
    }
  }

  private void grow() {
    for (StageSpec spec : variant.additions(from.fold().stageCount())) {
      attempt(
          "add stage" + (spec.gate() ? ", gate" : "") + (spec.isTemplate() ? ", each" : ""),
          JOB,
          Kind.USER,
          update -> AdditionRules.addStage(update, spec, ANY));
    }
  }

  private void task(Place at) {
    int stage = at.stage();
    int task = at.task();
    attempt("claim", at, Kind.DILIGENT, update -> ClaimRules.claim(update, stage, task, claimed()));
    attempt("expire", at, Kind.TROUBLE, update -> ClaimRules.expire(update, stage, task));
    attempt(
        "overrun", at, Kind.TROUBLE, update -> ClaimRules.failOverrun(update, stage, task, 0.5));
    FencingToken token = from.token(at);
    if (token != null) {
      boolean present = from.task(at).state() == TaskState.IN_PROGRESS;
      answers(at, token, "", present ? Kind.TROUBLE : Kind.STALE);
      if (present) {
        attempt(
            "progress",
            at,
            Kind.TROUBLE,
            update -> {
              update.record(new Fact.TaskProgressed(stage, task));
              return Outcome.DONE;
            });
      }
    }
    FencingToken stale = from.stale().get(at);
    if (stale != null) {
      answers(at, stale, "stale ", Kind.STALE);
    }
  }

  private Detail.Claimed claimed() {
    Duration lease = variant.has(Trait.LEASES) ? Duration.ofMinutes(1) : null;
    return new Detail.Claimed(from.epoch(), "w", lease, false);
  }

  private void answers(Place at, FencingToken token, String prefix, Kind kind) {
    ClaimKey key = new ClaimKey(at.stage(), at.task(), token);
    attempt(
        prefix + "complete",
        at,
        kind == Kind.STALE ? kind : Kind.DILIGENT,
        update -> ClaimRules.complete(update, key, new Detail.Completed(0, 1)));
    attempt(
        prefix + "fail",
        at,
        kind,
        update -> ClaimRules.fail(update, key, Failure.of("broken"), 0.5));
    attempt(
        prefix + "fail for good",
        at,
        kind,
        update -> ClaimRules.fail(update, key, Failure.permanent("hopeless"), 0.5));
    attempt(prefix + "release", at, kind, update -> ClaimRules.release(update, key, "shutdown"));
    for (AttemptProgress trace : AttemptProgress.values()) {
      attempt(
          prefix + "lose, " + trace,
          at,
          kind,
          update -> ClaimRules.recordLoss(update, key, ClaimRules.WorkerLoss.LEASE, trace));
    }
  }

  private void attempt(String verb, Place at, Kind kind, Function<JobUpdate, Outcome> act) {
    List<Transition> moves = new ArrayList<>();
    ExploredState copy = from.copy(moves::add);
    JobUpdate update = turn(copy);
    Outcome outcome = act.apply(update);
    boolean recorded = !update.entries().isEmpty();
    steps.add(
        new Step(
            verb, at, kind, outcome, recorded ? copy.remembering(from) : copy, moves, recorded));
  }

  private JobUpdate turn(ExploredState world) {
    return new JobUpdate(
        world.fold(), from.later(), stage -> variant.templates().apply(world.fold(), stage));
  }
}

package dev.millrace.core.rules;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.rules.Moves.Move;
import dev.millrace.core.rules.Variant.Trait;
import dev.millrace.core.rules.World.Place;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.Token;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Everything that users, workers and the system can try in a world, each on a copy of it. */
final class Verbs {

  /** Who makes an edge: a user, a diligent worker, or anything else that may befall a job. */
  enum Kind {
    USER,
    DILIGENT,
    TROUBLE,
    /** An answer of a former owner; must change nothing. */
    STALE
  }

  /**
   * A verb that was tried.
   *
   * @param recorded whether it added to the log
   */
  record Step(
      String verb,
      Place at,
      Kind kind,
      Answer answer,
      World after,
      List<Move> moves,
      boolean recorded) {
    String name() {
      return verb + " " + at.stage() + "/" + at.task();
    }
  }

  private static final Place JOB = new Place(0, 0);
  private static final Cause ANY = Cause.user("u", null);

  private final Variant variant;
  private final World from;
  private final List<Step> steps = new ArrayList<>();

  private Verbs(Variant variant, World from) {
    this.variant = variant;
    this.from = from;
  }

  static List<Step> of(Variant variant, World from) {
    Verbs verbs = new Verbs(variant, from);
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
    if (from.fold().state() == JobState.CREATED) {
      attempt(
          "enqueue",
          JOB,
          Kind.DILIGENT,
          turn -> {
            turn.record(new Fact.Submitted());
            turn.settle();
            return Answer.DONE;
          });
    }
    for (JobEvent lever :
        List.of(JobEvent.START, JobEvent.RESUME, JobEvent.PAUSE, JobEvent.ABORT)) {
      attempt(
          lever.name(), JOB, Kind.USER, turn -> Levers.pull(turn, lever, Cause.user("u", null)));
    }
    attempt(
        "settle",
        JOB,
        Kind.STALE,
        turn -> {
          turn.settle();
          return Answer.DONE;
        });
    if (variant.has(Trait.GROWS)) {
      grow();
    }
    crash();
  }

  private void crash() {
    List<Move> moves = new ArrayList<>();
    World copy = from.copy(moves::add);
    World next = new World(copy.fold(), from.epoch() + 1, from.stale());
    Turn turn = turn(next);
    Claims.recover(turn, next.epoch(), _ -> Trace.BEGUN);
    turn.settle();
    steps.add(
        new Step(
            "crash",
            JOB,
            Kind.TROUBLE,
            Answer.DONE,
            next.remembering(from),
            moves,
            !turn.entries().isEmpty()));
  }

  private void stage(int stage) {
    attempt(
        "approve",
        new Place(stage, 0),
        Kind.USER,
        turn -> Levers.approve(turn, stage, Cause.user("u", "looks good")));
    if (variant.has(Trait.HOLDS)) {
      attempt(
          "hold",
          new Place(stage, 0),
          Kind.USER,
          turn -> Levers.hold(turn, stage, Cause.user("u", null)));
    }
    if (variant.has(Trait.GROWS)) {
      Place at = new Place(stage, 0);
      attempt("close", at, Kind.USER, turn -> Additions.addTasks(turn, stage, List.of(), ANY));
      if (from.fold().stage(stage).size() < (stage == 1 ? 2 : 1)) {
        List<TaskSpec> one = List.of(TaskSpec.of("more"));
        attempt("add task", at, Kind.USER, turn -> Additions.addTasks(turn, stage, one, ANY));
      }
    }
  }

  private void grow() {
    for (StageSpec spec : variant.additions(from.fold().stageCount())) {
      attempt(
          "add stage" + (spec.gate() ? ", gate" : "") + (spec.isTemplate() ? ", each" : ""),
          JOB,
          Kind.USER,
          turn -> Additions.addStage(turn, spec, ANY));
    }
  }

  private void task(Place at) {
    int stage = at.stage();
    int task = at.task();
    attempt("claim", at, Kind.DILIGENT, turn -> Claims.claim(turn, stage, task, claimed()));
    attempt("expire", at, Kind.TROUBLE, turn -> Claims.expire(turn, stage, task));
    attempt("overrun", at, Kind.TROUBLE, turn -> Claims.overrun(turn, stage, task, 0.5));
    Token token = from.token(at);
    if (token != null) {
      boolean present = from.task(at).state() == TaskState.IN_PROGRESS;
      answers(at, token, "", present ? Kind.TROUBLE : Kind.STALE);
      if (present) {
        attempt(
            "progress",
            at,
            Kind.TROUBLE,
            turn -> {
              turn.record(new Fact.Progress(stage, task));
              return Answer.DONE;
            });
      }
    }
    Token stale = from.stale().get(at);
    if (stale != null) {
      answers(at, stale, "stale ", Kind.STALE);
    }
  }

  private Detail.Claimed claimed() {
    Duration lease = variant.has(Trait.LEASES) ? Duration.ofMinutes(1) : null;
    return new Detail.Claimed(from.epoch(), "w", lease, false);
  }

  private void answers(Place at, Token token, String prefix, Kind kind) {
    Hold hold = new Hold(at.stage(), at.task(), token);
    attempt(
        prefix + "complete",
        at,
        kind == Kind.STALE ? kind : Kind.DILIGENT,
        turn -> Claims.complete(turn, hold, new Detail.Completed(0, 1)));
    attempt(prefix + "fail", at, kind, turn -> Claims.fail(turn, hold, Failure.of("broken"), 0.5));
    attempt(
        prefix + "fail for good",
        at,
        kind,
        turn -> Claims.fail(turn, hold, Failure.permanent("hopeless"), 0.5));
    attempt(prefix + "release", at, kind, turn -> Claims.release(turn, hold, "shutdown"));
    for (Trace trace : Trace.values()) {
      attempt(
          prefix + "lose, " + trace,
          at,
          kind,
          turn -> Claims.lose(turn, hold, Claims.Loss.LEASE, trace));
    }
  }

  private void attempt(String verb, Place at, Kind kind, Function<Turn, Answer> act) {
    List<Move> moves = new ArrayList<>();
    World copy = from.copy(moves::add);
    Turn turn = turn(copy);
    Answer answer = act.apply(turn);
    boolean recorded = !turn.entries().isEmpty();
    steps.add(
        new Step(
            verb, at, kind, answer, recorded ? copy.remembering(from) : copy, moves, recorded));
  }

  private Turn turn(World world) {
    return new Turn(
        world.fold(), from.later(), stage -> variant.templates().apply(world.fold(), stage));
  }
}

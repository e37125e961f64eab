package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.random.RandomJobSpecs;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Uses the levers of a user on recent jobs; some requests are repeated, also those that the end of
 * an earlier life has left without an answer.
 */
final class LeverClient implements Runnable {
  record Request(JobHistory job, Lever lever, Cause cause) {}

  private final ActorContext context;
  private final JobControls controls;
  private final boolean refusalsLast;
  private @Nullable Request last;

  /**
   * @param refusalsLast whether what is refused is not tried again: a request that was left in the
   *     inbox by a crash is
   */
  LeverClient(ActorContext context, JobControls controls, boolean refusalsLast) {
    this.refusalsLast = refusalsLast;
    this.context = context;
    this.controls = controls;
  }

  @Override
  public void run() {
    if (context.oneIn(25)) {
      prune();
      return;
    }
    Request repeated = refusalsLast && context.oneIn(2) ? context.history.leftLevers.poll() : null;
    repeated = repeated == null && context.oneIn(10) ? last : repeated;
    if (repeated != null) {
      apply(repeated);
      return;
    }
    JobHistory job = context.history.any(context.random, one -> one.certain && !one.gone);
    if (job != null) {
      Request request = new Request(job, lever(job), context.cause());
      last = request;
      apply(request);
    }
  }

  private Lever lever(JobHistory job) {
    int stage = 1 + context.random.nextInt(3);
    return switch (context.random.nextInt(job.end == null ? 15 : 19)) {
      case 0, 1 -> new Lever.Pause();
      case 2, 3, 4 -> new Lever.Resume();
      case 5 -> job.named ? new Lever.Pause() : new Lever.Abort();
      case 6, 7 -> new Lever.Approve(stage);
      case 8 -> new Lever.Hold(stage);
      case 9 ->
          new Lever.Prioritize(Priority.values()[context.random.nextInt(Priority.values().length)]);
      case 10, 16 ->
          new Lever.Describe(
              stage - 1,
              stage == 1 ? 0 : context.random.nextInt(3),
              RandomJobSpecs.metadata(context.random));
      case 11 -> new Lever.AddStage(RandomJobSpecs.stage(context.random));
      case 12, 13, 14 -> new Lever.AddTasks(stage, RandomJobSpecs.tasks(context.random));
      default -> job.named ? new Lever.Resume() : new Lever.Delete();
    };
  }

  private void apply(Request request) {
    JobHistory job = request.job();
    String op = request.cause().op();
    if (request.lever() instanceof Lever.Delete) {
      job.mayBeGone = true;
    } else if (request.lever() instanceof Lever.Abort) {
      context.history.abortAsked(job);
    }
    boolean before = job.done.containsKey(op);
    job.refused.remove(op); // a repeated request may be possible now
    if (refusalsLast) {
      context.history.levers.add(request);
    }
    Optional<Outcome> answer = context.ask(() -> request(request));
    context.history.levers.remove(request);
    answer.ifPresent(
        outcome -> {
          assertThat(before && !outcome.isDone() && !job.mayBeGone)
              .as("%s of %s is repeated: %s", request.lever(), job, outcome)
              .isFalse();
          answered(request, outcome, before);
        });
  }

  /** By the method for it where there is one, so that all take part. */
  private Outcome request(Request request) {
    Cause cause = request.cause();
    var id = request.job().id;
    return switch (request.lever()) {
      case Lever.Pause _ -> controls.pause(id, cause);
      case Lever.Resume _ -> controls.resume(id, cause);
      case Lever.Abort _ -> controls.abort(id, cause);
      case Lever.Approve(int stage) -> controls.approve(id, stage, cause);
      case Lever.Hold(int stage) -> controls.hold(id, stage, cause);
      case Lever.Prioritize(Priority priority) -> controls.prioritize(id, priority, cause);
      case Lever.Describe(int stage, int task, var metadata) ->
          controls.replaceMetadata(id, stage, task, metadata, cause);
      case Lever.AddStage(StageSpec spec) -> outcome(controls.addStage(id, spec, cause));
      case Lever.AddTasks(int stage, List<TaskSpec> tasks) ->
          context.oneIn(2)
              ? outcome(controls.addTasks(id, stage, tasks, cause))
              : controls.apply(id, request.lever(), cause);
      case Lever.Delete _ -> controls.delete(id);
    };
  }

  private static Outcome outcome(JobControls.Added added) {
    return added.outcome().isDone() ? new Outcome.Done(added.first()) : added.outcome();
  }

  private void answered(Request request, Outcome outcome, boolean before) {
    JobHistory job = request.job();
    if (outcome instanceof Outcome.Done(int first)) {
      if (request.lever() instanceof Lever.Delete) {
        job.gone = true;
      } else if (!addsNothing(request.lever())) {
        job.done.put(request.cause().op(), request.lever());
      }
      if (request.lever() instanceof Lever.AddStage(StageSpec spec)) {
        job.additions.add(new JobHistory.Addition(first, 1, spec.tasks()));
      } else if (request.lever() instanceof Lever.AddTasks(int stage, List<TaskSpec> tasks)
          && !tasks.isEmpty()) {
        job.additions.add(new JobHistory.Addition(stage, first, tasks));
      }
      if (job.done.containsKey(request.cause().op())) {
        context.faults.acknowledged(job, request.cause().op());
      }
    } else if (refusalsLast && !(request.lever() instanceof Lever.Delete) && !before) {
      job.refused.put(request.cause().op(), request.lever());
    }
  }

  /** Nothing is recorded of no tasks for a stage that has some. */
  private static boolean addsNothing(Lever lever) {
    return lever instanceof Lever.AddTasks(int _, List<TaskSpec> tasks) && tasks.isEmpty();
  }

  /** Deletes aborted jobs, so that the others can be checked. */
  private void prune() {
    context.history.pruneAsked();
    context.run(
        () ->
            controls.prune(
                context.clock.instant().minus(Duration.ofSeconds(context.random.nextInt(5))),
                EnumSet.of(JobState.ABORTED)));
    context.history.pruneAnswered();
  }
}

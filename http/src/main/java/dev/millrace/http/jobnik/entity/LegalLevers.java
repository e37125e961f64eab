package dev.millrace.http.jobnik.entity;

import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.rules.LeverRules;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.state.Actor;
import dev.millrace.core.state.TransitionTable;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a user can do to a job or a stage in its state, as the transition tables say. A lever may
 * still be refused, as the state may have changed since.
 */
public final class LegalLevers {
  public static final String RETRY = "retry";

  private static final List<Lever> JOB_LEVERS =
      List.of(new Lever.Pause(), new Lever.Resume(), new Lever.Abort());

  private static final String DELETE = LeverJson.name(new Lever.Delete());
  private static final String PRIORITIZE = LeverJson.name(new Lever.Prioritize(Priority.MEDIUM));
  private static final String APPROVE = LeverJson.name(new Lever.Approve(1));

  private static final Map<JobState, List<String>> OF_JOBS = new EnumMap<>(JobState.class);

  static {
    for (JobState state : JobState.values()) {
      OF_JOBS.put(state, List.copyOf(legal(state)));
    }
  }

  private LegalLevers() {}

  private static List<String> legal(JobState state) {
    List<String> levers = new ArrayList<>();
    for (Lever lever : JOB_LEVERS) {
      if (isLegal(JobTransitions.TABLE, state, LeverRules.jobEvent(lever))) {
        levers.add(LeverJson.name(lever));
      }
    }
    if (AdoptionRules.allowsRetry(new JobId("0"), state).isDone()) {
      levers.add(RETRY);
    }
    if (JobTransitions.TABLE.isFinal(state)) {
      levers.add(DELETE);
    }
    return levers;
  }

  private static <S extends Enum<S>, E extends Enum<E>> boolean isLegal(
      TransitionTable<S, E> table, S state, E event) {
    return table.rows().stream()
        .anyMatch(
            row ->
                row.event() == event
                    && row.by().contains(Actor.USER)
                    && row.from().contains(state));
  }

  /** Those that change where many jobs are at once: pause, resume, abort, retry, delete. */
  public static List<String> ofJob(JobState state) {
    return OF_JOBS.getOrDefault(state, List.of());
  }

  /** All those of a job, also its priority. */
  public static List<String> ofJob(JobView job) {
    List<String> levers = new ArrayList<>(ofJob(job.state()));
    if (!JobTransitions.TABLE.isFinal(job.state())) {
      levers.add(PRIORITIZE);
    }
    return levers;
  }

  public static List<String> ofStage(JobView job, StageView stage) {
    boolean atGate =
        job.stageAtGate().filter(waiting -> waiting.number() == stage.number()).isPresent();
    return atGate && isLegal(StageTransitions.TABLE, stage.state(), StageEvent.APPROVE)
        ? List.of(APPROVE)
        : List.of();
  }
}

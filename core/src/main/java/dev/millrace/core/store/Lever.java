package dev.millrace.core.store;

import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.util.List;

/**
 * Something that a user does to a job, as data. {@link JobControls#apply} carries it out, {@link
 * LeverJson} names each and writes it as JSON. Stages and tasks count from 1.
 */
public sealed interface Lever {
  /** CREATED, PENDING or IN_PROGRESS to PAUSED. */
  record Pause() implements Lever {}

  /**
   * PAUSED to PENDING, and on to its earlier state. What finished during the pause takes effect.
   */
  record Resume() implements Lever {}

  /** Any state that is not final to ABORTED, with every stage and unfinished task. */
  record Abort() implements Lever {}

  /** A WAITING stage whose predecessor is COMPLETED to PENDING. */
  record Approve(int stage) implements Lever {}

  /**
   * A CREATED, PENDING or IN_PROGRESS stage to WAITING, for an external condition. Whatever watches
   * that condition uses it; a user's approval continues the stage.
   */
  record Hold(int stage) implements Lever {}

  /** Changes the priority of a job that has not ended, from the next claim on. */
  record Prioritize(Priority priority) implements Lever {}

  /**
   * Replaces the metadata of the job ({@code stage} 0), of a stage ({@code task} 0) or of a task,
   * in any state.
   */
  record Describe(int stage, int task, JsonObject metadata) implements Lever {}

  /** Adds a stage to an open job, with the tasks in {@code spec}. */
  record AddStage(StageSpec spec) implements Lever {}

  /**
   * Adds tasks to a stage of an open job that is not running yet. They can be claimed at once. An
   * empty list closes an empty stage: it completes when it opens.
   */
  record AddTasks(int stage, List<TaskSpec> tasks) implements Lever {
    public AddTasks {
      tasks = List.copyOf(tasks);
    }
  }

  /** Deletes a job that has ended. */
  record Delete() implements Lever {}
}

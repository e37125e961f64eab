package dev.millrace.core.task;

import dev.millrace.core.state.TransitionTable;

/** The transition table of a task. */
public final class TaskTransitions {

  public static final TransitionTable<TaskState, TaskEvent> TABLE =
      TransitionTable.of(
          "task",
          TaskState.class,
          TaskEvent.class,
          """
          ENQUEUE  | S    | CREATED                                | PENDING     | it was created; a template: its stage opened
          ADOPT    | S    | CREATED, PENDING                       | COMPLETED   | a retry takes over the result of the same task in an earlier job
          CLAIM    | W    | PENDING, RETRIED                       | IN_PROGRESS | job and stage are open and its backoff has passed
          COMPLETE | W    | IN_PROGRESS                            | COMPLETED   |
          RETRY    | W, S | IN_PROGRESS                            | RETRIED     | fail or run timeout, attempts left; after a backoff
          FAIL     | W, S | IN_PROGRESS                            | FAILED      | fail or run timeout, no attempts left
          RELEASE  | S    | IN_PROGRESS                            | RETRIED     | shutdown, pause, lost lease, crash; costs no attempt
          CEILING  | S    | IN_PROGRESS                            | FAILED      | recovered too often without progress
          EXPIRE   | S    | PENDING, RETRIED                       | FAILED      | queue timeout
          ABORT    | S    | CREATED, PENDING, IN_PROGRESS, RETRIED | ABORTED     | its job was aborted, or its stage failed
          """);

  private TaskTransitions() {}
}

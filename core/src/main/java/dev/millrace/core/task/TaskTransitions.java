package dev.millrace.core.task;

import static dev.millrace.core.state.Actor.SYSTEM;
import static dev.millrace.core.state.Actor.WORKER;
import static dev.millrace.core.task.TaskState.ABORTED;
import static dev.millrace.core.task.TaskState.COMPLETED;
import static dev.millrace.core.task.TaskState.CREATED;
import static dev.millrace.core.task.TaskState.FAILED;
import static dev.millrace.core.task.TaskState.IN_PROGRESS;
import static dev.millrace.core.task.TaskState.PENDING;
import static dev.millrace.core.task.TaskState.RETRIED;

import dev.millrace.core.state.TransitionTable;
import java.util.EnumSet;
import java.util.Set;

/** The transition table of a task. */
public final class TaskTransitions {

  public static final TransitionTable<TaskState, TaskEvent> TABLE =
      TransitionTable.of("task", TaskState.class, TaskEvent.class)
          .on(TaskEvent.ENQUEUE, Set.of(SYSTEM), EnumSet.of(CREATED), PENDING,
              "it was created; a template: its stage opened")
          .on(TaskEvent.CLAIM, Set.of(WORKER), EnumSet.of(PENDING, RETRIED), IN_PROGRESS,
              "job and stage are open and its backoff has passed")
          .on(TaskEvent.COMPLETE, Set.of(WORKER), EnumSet.of(IN_PROGRESS), COMPLETED, "")
          .on(TaskEvent.RETRY, Set.of(WORKER, SYSTEM), EnumSet.of(IN_PROGRESS), RETRIED,
              "fail or run timeout, attempts left; after a backoff")
          .on(TaskEvent.FAIL, Set.of(WORKER, SYSTEM), EnumSet.of(IN_PROGRESS), FAILED,
              "fail or run timeout, no attempts left")
          .on(TaskEvent.RELEASE, Set.of(SYSTEM), EnumSet.of(IN_PROGRESS), RETRIED,
              "shutdown, pause, lost lease, crash; costs no attempt")
          .on(TaskEvent.CEILING, Set.of(SYSTEM), EnumSet.of(IN_PROGRESS), FAILED,
              "recovered too often without progress")
          .on(TaskEvent.EXPIRE, Set.of(SYSTEM), EnumSet.of(PENDING, RETRIED), FAILED,
              "queue timeout")
          .on(TaskEvent.ABORT, Set.of(SYSTEM), EnumSet.of(CREATED, PENDING, IN_PROGRESS, RETRIED),
              ABORTED, "its job ended")
          .build();

  private TaskTransitions() {}
}

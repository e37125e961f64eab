package dev.millrace.store.postgres.chaos.job;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskResult.Kind;
import java.util.Objects;

/** What the input of a task asks its worker to do, and the result that follows from it. */
public final class TaskText {
  private static final String TOKEN = "token";

  private TaskText() {}

  /** What a worker does with a task. */
  public enum Behaviour {
    /** Completes it. */
    OK,
    /** Fails the first two attempts. */
    FAILS_TWICE,
    /** Fails it for good. */
    FAILS,
    /** Does not answer on the first attempt. */
    HANGS;

    /** The input of a task that is to be worked on like this. */
    public String input(String name) {
      return this + " " + name;
    }
  }

  public static Behaviour behaviour(String input) {
    return Behaviour.valueOf(input.substring(0, input.indexOf(' ')));
  }

  /** The same for every worker: only its receipt says who did it. */
  public static TaskResult result(Claim claim) {
    return new TaskResult(
        Kind.RESULT,
        expected(claim.inputText()),
        JsonObject.create().put(TOKEN, claim.key().token().toString()));
  }

  public static String expected(String input) {
    return "[" + input + "]";
  }

  /** Whether a result was made under that token. */
  public static boolean isOf(TaskResult result, FencingToken token) {
    return Objects.requireNonNull(result.receipt()).string(TOKEN).equals(token.toString());
  }
}

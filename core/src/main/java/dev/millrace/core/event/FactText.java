package dev.millrace.core.event;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Describes a fact in a job's log in plain words, on one line. */
public final class FactText {
  private FactText() {}

  /** The line for a fact, without control characters. Quoted texts are not shortened. */
  public static String of(Fact fact) {
    return of(fact, Instant::toString);
  }

  /**
   * As {@link #of(Fact)}.
   *
   * @param times formats times
   */
  public static String of(Fact fact, Function<Instant, String> times) {
    String text =
        switch (fact) {
          case Fact.Submitted _ -> "job submitted";
          case Fact.JobChanged(var event, Cause cause) -> "job " + word(event) + by(cause);
          case Fact.StageChanged(int stage, var event, Cause cause, var opening) ->
              subject(stage, 0) + " " + word(event) + by(cause) + tasks(opening);
          case Fact.TaskChanged(int stage, int task, var event, Detail detail) ->
              subject(stage, task) + " " + word(event) + detail(detail, times);
          case Fact.TaskProgressed(int stage, int task) -> subject(stage, task) + " progress";
          case Fact.TermsFrozen(int stage, int task, JsonObject terms) ->
              subject(stage, task) + " settled" + terms(terms);
          case Fact.StageAdded(int stage, var spec, Cause cause) ->
              subject(stage, 0) + " added (" + spec.type() + ")" + by(cause);
          case Fact.TasksAdded(int stage, int tasks, int _, Cause cause) ->
              subject(stage, 0) + " " + added(tasks) + by(cause);
          case Fact.MetadataReplaced(int stage, int task, var _, Cause cause) ->
              subject(stage, task) + " metadata replaced" + by(cause);
          case Fact.Prioritized(var priority, Cause cause) ->
              "job priority " + priority + by(cause);
          case Fact.WorkerLogLine(int stage, int task, String level, String line) ->
              subject(stage, task) + " [" + level.toUpperCase(Locale.ROOT) + "] " + line;
        };
    return oneLine(text);
  }

  private static String subject(int stage, int task) {
    if (stage == 0) {
      return "job";
    }
    return task == 0 ? "stage " + stage : "task " + stage + "/" + task;
  }

  private static String by(Cause cause) {
    return (cause.who() == null ? "" : " by " + cause.who())
        + (cause.comment() == null ? "" : ": " + cause.comment());
  }

  private static String tasks(Fact.@Nullable Opening opening) {
    return opening == null ? "" : " (" + opening.tasks() + " tasks)";
  }

  private static String added(int tasks) {
    return switch (tasks) {
      case 0 -> "closed without tasks";
      case 1 -> "got 1 task";
      default -> "got " + tasks + " tasks";
    };
  }

  /** The names of the frozen terms; the log has all of them. */
  private static String terms(JsonObject terms) {
    Object model = terms.get("model");
    Object seed =
        terms.get("parameters") instanceof Map<?, ?> parameters ? parameters.get("seed") : null;
    return (model == null ? "" : ": model " + model) + (seed == null ? "" : ", seed " + seed);
  }

  private static String detail(Detail detail, Function<Instant, String> times) {
    return switch (detail) {
      case Detail.None() -> "";
      case Detail.Claimed(long _, String worker, var _, boolean _) -> " by " + worker;
      case Detail.Completed(long _, int _) -> "";
      case Detail.Adopted(Adoption from, long _, int _) ->
          " from " + from.job() + " task " + from.task();
      case Detail.Retrying(String error, Instant notBefore) ->
          ", not before " + times.apply(notBefore) + ": " + error;
      case Detail.Ended(String error) -> ": " + error;
      case Detail.Released(String reason, boolean _) -> ": " + reason;
    };
  }

  private static String word(Enum<?> event) {
    return event.name().toLowerCase(Locale.ROOT);
  }

  /** Replaces every control character and every line end by a space. */
  private static String oneLine(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      out.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? ' ' : c);
    }
    return out.toString();
  }
}

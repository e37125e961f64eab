package dev.millrace.cli;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.Fact.Detail;
import java.util.Locale;
import java.util.Map;

/** An entry of a job's log as a line for people. */
final class EventText {
  private static final int WIDTH = 2_000;

  private EventText() {}

  static String of(Entry entry) {
    return Times.clock(entry.at()) + "  " + Printable.line(text(entry.fact()), WIDTH);
  }

  private static String text(Fact fact) {
    return switch (fact) {
      case Fact.Submitted() -> "job submitted";
      case Fact.OfJob(var event, Cause cause) -> "job " + word(event) + by(cause);
      case Fact.OfStage(int stage, var event, Cause cause, var opening) ->
          "stage "
              + stage
              + " "
              + word(event)
              + by(cause)
              + (opening == null ? "" : " (" + opening.tasks() + " tasks)");
      case Fact.OfTask(int stage, int task, var event, Detail detail) ->
          "task " + stage + "/" + task + " " + word(event) + detail(detail);
      case Fact.Progress(int stage, int task) -> "task " + stage + "/" + task + " progress";
      case Fact.Frozen(int stage, int task, JsonObject terms) ->
          "task " + stage + "/" + task + " settled" + terms(terms);
      case Fact.Line(int stage, int task, String level, String line) ->
          (stage > 0 ? "task " + stage + "/" + task : "job")
              + " ["
              + level.toUpperCase(Locale.ROOT)
              + "] "
              + line;
    };
  }

  private static String by(Cause cause) {
    return (cause.who() == null ? "" : " by " + cause.who())
        + (cause.comment() == null ? "" : ": " + cause.comment());
  }

  /** What another attempt would have to keep to; the whole of it is in the log. */
  private static String terms(JsonObject terms) {
    Object model = terms.get("model");
    Object seed =
        terms.get("parameters") instanceof Map<?, ?> parameters ? parameters.get("seed") : null;
    return (model == null ? "" : ": model " + model) + (seed == null ? "" : ", seed " + seed);
  }

  private static String detail(Detail detail) {
    return switch (detail) {
      case Detail.None() -> "";
      case Detail.Claimed(long epoch, String worker) -> " by " + worker;
      case Detail.Completed(long offset, int length) -> "";
      case Detail.Retrying(String error, var notBefore) ->
          ", not before " + Times.clock(notBefore) + ": " + error;
      case Detail.Ended(String error) -> ": " + error;
      case Detail.Released(String reason, boolean crash) -> ": " + reason;
    };
  }

  private static String word(Enum<?> event) {
    return event.name().toLowerCase(Locale.ROOT);
  }
}

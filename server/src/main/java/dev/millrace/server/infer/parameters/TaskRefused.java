package dev.millrace.server.infer.parameters;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A task that can never run as asked; the message is for the user. */
public final class TaskRefused extends RuntimeException {
  private final Reason reason;
  private final @Nullable String parameter;

  /** What kind of rule it breaks, for callers that answer in codes. */
  public enum Reason {
    /** A parameter is unknown, missing or invalid. */
    PARAMETER,
    MODEL_NOT_FOUND,
    /** The prompt and what must follow it do not fit into the context. */
    CONTEXT_LENGTH,
    OTHER
  }

  public TaskRefused(String message) {
    this(Reason.OTHER, null, message, null);
  }

  public TaskRefused(String message, Throwable cause) {
    this(Reason.OTHER, null, message, cause);
  }

  public TaskRefused(
      Reason reason, @Nullable String parameter, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
    this.parameter = parameter;
  }

  /** A parameter breaks a rule that the message names. */
  public static TaskRefused ofParameter(String parameter, String message) {
    return new TaskRefused(Reason.PARAMETER, parameter, message, null);
  }

  /** The same refusal for another caller, with its own stack trace. */
  public TaskRefused again() {
    return new TaskRefused(reason, parameter, getMessage(), this);
  }

  public Reason reason() {
    return reason;
  }

  /** The name of the parameter that is wrong; null if it is not about one. */
  public @Nullable String parameter() {
    return parameter;
  }

  /**
   * The served model that a task names, in full or by a part of its name that no other has.
   *
   * @throws TaskRefused if it names none, or several
   */
  public static String requireServed(String model, Collection<String> served) {
    List<String> matches = ModelNameMatcher.matches(served, model);
    if (matches.isEmpty()) {
      throw new TaskRefused(
          Reason.MODEL_NOT_FOUND,
          "model",
          "model \"%s\" is not served here; served: %s"
              .formatted(ParameterReader.cut(model), String.join(", ", served)),
          null);
    }
    if (matches.size() > 1) {
      throw new TaskRefused(
          Reason.MODEL_NOT_FOUND,
          "model",
          "model \"%s\" could be any of %s; name one of them in full"
              .formatted(ParameterReader.cut(model), String.join(", ", matches)),
          null);
    }
    return matches.getFirst();
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

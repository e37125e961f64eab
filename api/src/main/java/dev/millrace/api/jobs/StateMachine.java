package dev.millrace.api.jobs;

import dev.millrace.api.JsonFields;
import dev.millrace.core.json.JsonObject;
import java.util.List;

/**
 * A transition table.
 *
 * @param entity {@code job}, {@code stage}, {@code task} or {@code sequence}
 * @param initial the first state
 */
public record StateMachine(
    String entity, String initial, List<State> states, List<Transition> transitions) {

  /** A state; nothing leaves a final one. */
  public record State(String name, boolean isFinal) {
    static State fromJson(JsonObject in) {
      return new State(in.string("name"), in.flag("final", false));
    }

    JsonObject toJson() {
      return JsonObject.create().put("name", name).put("final", isFinal);
    }
  }

  /**
   * A row of the table.
   *
   * @param by who may cause it: {@code USER}, {@code WORKER}, {@code SYSTEM}
   * @param when what must be true besides; empty: nothing
   */
  public record Transition(
      String event, List<String> by, List<String> from, String to, String when) {
    static Transition fromJson(JsonObject in) {
      return new Transition(
          in.string("event"),
          JsonFields.strings(in, "by"),
          JsonFields.strings(in, "from"),
          in.string("to"),
          in.string("when"));
    }

    JsonObject toJson() {
      return JsonObject.create()
          .put("event", event)
          .put("by", by)
          .put("from", from)
          .put("to", to)
          .put("when", when);
    }
  }

  public static StateMachine fromJson(JsonObject in) {
    return new StateMachine(
        in.string("entity"),
        in.string("initial"),
        JsonFields.list(in, "states", State::fromJson),
        JsonFields.list(in, "transitions", Transition::fromJson));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("entity", entity)
        .put("initial", initial)
        .put("states", states.stream().map(State::toJson).toList())
        .put("transitions", transitions.stream().map(Transition::toJson).toList());
  }
}

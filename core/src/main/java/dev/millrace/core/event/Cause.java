package dev.millrace.core.event;

import dev.millrace.core.state.Actor;
import org.jspecify.annotations.Nullable;

/**
 * Who made a change, and why.
 *
 * @param who the name of a person or worker
 * @param op the id of a user's request, so that a repeated request is recognized
 */
public record Cause(Actor by, @Nullable String who, @Nullable String comment, @Nullable String op) {

  public static final Cause SYSTEM = new Cause(Actor.SYSTEM, null, null, null);

  public static Cause system(String comment) {
    return new Cause(Actor.SYSTEM, null, comment, null);
  }

  public static Cause user(@Nullable String who, @Nullable String comment) {
    return new Cause(Actor.USER, who, comment, null);
  }

  public Cause withOp(@Nullable String newOp) {
    return new Cause(by, who, comment, newOp);
  }
}

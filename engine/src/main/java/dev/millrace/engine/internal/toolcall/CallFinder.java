package dev.millrace.engine.internal.toolcall;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds calls in the text of an answer, character by character, so that its cuts do not matter.
 * Text that may become a call is held back; if it does not, its first character is text, and the
 * search goes on behind that. White space around calls is dropped.
 */
public final class CallFinder {
  /** Gets what is found. */
  public interface Listener {
    void text(String text);

    void callBegan(String name);

    void callArguments(String json);

    void callEnded();
  }

  private final CallSyntax syntax;
  private final Map<String, ArgumentTypes> tools;
  private final List<String> triggers; // of the constraint
  private final Listener listener;

  private final StringBuilder buffer = new StringBuilder();
  private int from; // the first character that is undecided
  private int at; // the next character to read
  private List<CallAttempt> attempts = List.of();
  private boolean constrained; // whether the constraint holds
  private @Nullable CallOpening opening; // of the call before; null if text is before
  private final List<String> closers = new ArrayList<>(); // that may still follow the call
  private final StringBuilder blanks = new StringBuilder(); // dropped if a call follows

  /**
   * A finder for one text.
   *
   * @param tools those on offer, by name
   * @param constrained whether calls are valid from a trigger of the format on: their arguments
   *     are then given before the call is complete
   */
  public CallFinder(
      CallSyntax syntax, Map<String, ArgumentTypes> tools, boolean constrained, Listener listener) {
    this.syntax = syntax;
    this.tools = Map.copyOf(tools);
    this.triggers = constrained ? syntax.triggers(List.copyOf(tools.keySet())) : List.of();
    this.listener = listener;
  }

  public void feed(String piece) {
    buffer.append(piece);
    read();
    buffer.delete(0, from);
    at -= from;
    from = 0;
  }

  /**
   * Ends the text. A call that was given in part stays as it is; where the text was cut, one that
   * has begun and half a closing marker are dropped.
   */
  public void end(boolean cut) {
    while (from < buffer.length()) {
      if (attempts.stream().anyMatch(each -> each.given >= 0 || cut && each.isCallForSure())) {
        return;
      }
      giveUp();
      read();
    }
    if (opening == null) {
      listener.text(blanks.toString());
    }
  }

  private @Nullable CallAttempt begun() {
    return attempts.stream().filter(each -> each.draft.hasBegun()).findFirst().orElse(null);
  }

  private void read() {
    while (at < buffer.length()) {
      char c = buffer.charAt(at++);
      if (attempts.isEmpty()) {
        if (opening != null && JsonScanner.isBlank(c)) {
          from = at;
          continue;
        }
        attempts = begin(c);
      }
      List<CallAttempt> before = attempts;
      attempts = fitting(before, c);
      decide(before);
    }
  }

  private static List<CallAttempt> fitting(List<CallAttempt> all, char c) {
    List<CallAttempt> fitting = new ArrayList<>(all.size());
    for (CallAttempt attempt : all) {
      if (attempt.accept(c)) {
        fitting.add(attempt);
      }
    }
    return fitting;
  }

  private List<CallAttempt> begin(char c) {
    List<CallAttempt> found = new ArrayList<>();
    for (CallOpening each : syntax.openings()) {
      if (each.start().charAt(0) == c) {
        found.add(new CallAttempt(each, each.newSteps(), new CallDraft(tools)));
      }
    }
    if (opening != null) {
      if (!opening.next().isEmpty()) {
        found.add(new CallAttempt(opening, opening.nextSteps(), new CallDraft(tools)));
      }
      for (String closer : closers) {
        found.add(new CallAttempt(closer, new CallDraft(tools)));
      }
    }
    return found;
  }

  private void decide(List<CallAttempt> before) {
    for (CallAttempt attempt : attempts) {
      if (attempt.isDone()) {
        complete(attempt);
        return;
      }
    }
    if (attempts.isEmpty()) {
      if (before.stream().anyMatch(each -> each.given >= 0)) {
        breakOff();
      } else {
        giveUp();
      }
      return;
    }
    CallAttempt begun = triggers.isEmpty() ? null : begun();
    if (begun != null && (constrained || beginsWithTrigger())) {
      constrained = true; // and so is all that follows
      attempts = List.of(begun);
      give(begun);
    }
  }

  private boolean beginsWithTrigger() {
    return triggers.stream()
        .anyMatch(
            trigger ->
                from + trigger.length() <= buffer.length()
                    && buffer.substring(from, from + trigger.length()).equals(trigger));
  }

  /** The first undecided character is text. */
  private void giveUp() {
    char c = buffer.charAt(from++);
    at = from;
    attempts = List.of();
    if (Character.isWhitespace(c) && opening == null) {
      blanks.append(c);
      return;
    }
    opening = null;
    listener.text(blanks.toString() + c);
    blanks.setLength(0);
  }

  /** A call was given in part and is not valid: it never ends, and the rest is text. */
  private void breakOff() {
    opening = null;
    blanks.setLength(0);
    at--;
    from = at;
  }

  private void complete(CallAttempt attempt) {
    if (attempt.opening == null) {
      closers.remove(attempt.closer);
    } else {
      give(attempt);
      listener.callEnded();
      opening = attempt.opening;
      closers.clear();
      closers.addAll(opening.closers());
    }
    blanks.setLength(0);
    attempts = List.of();
    from = at;
  }

  private void give(CallAttempt attempt) {
    StringBuilder arguments = attempt.draft.arguments;
    if (attempt.given < 0) {
      listener.callBegan(String.valueOf(attempt.draft.name()));
      attempt.given = 0;
    }
    if (arguments.length() > attempt.given) {
      listener.callArguments(arguments.substring(attempt.given));
      attempt.given = arguments.length();
    }
  }
}

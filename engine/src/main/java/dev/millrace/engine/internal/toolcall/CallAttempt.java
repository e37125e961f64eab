package dev.millrace.engine.internal.toolcall;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a text as a call, or as a closing marker, as long as it fits. */
final class CallAttempt {
  private final List<CallStep> steps;
  private int at;

  /** How the call begins; null: the text is a closing marker. */
  final @Nullable CallOpening opening;

  final String closer;

  final CallDraft draft;

  /** How much of the arguments was given already; -1: not even the name. */
  int given = -1;

  CallAttempt(CallOpening opening, List<CallStep> steps, CallDraft draft) {
    this.opening = opening;
    this.closer = "";
    this.steps = steps;
    this.draft = draft;
  }

  CallAttempt(String closer, CallDraft draft) {
    this.opening = null;
    this.closer = closer;
    this.steps = List.of(CallStep.text(closer));
    this.draft = draft;
  }

  /** Takes a character; false if the text is something else. */
  boolean accept(char c) {
    while (true) {
      switch (steps.get(at).accept(c, draft)) {
        case MORE -> {
          return true;
        }
        case DONE -> {
          at++;
          return true;
        }
        case DONE_BEFORE -> at++;
        case FAIL -> {
          return false;
        }
      }
    }
  }

  /** Whether this is a part of a call: one that has begun, or a marker after one. */
  boolean isCallForSure() {
    return opening == null || draft.hasBegun();
  }

  boolean isDone() {
    return at == steps.size();
  }
}

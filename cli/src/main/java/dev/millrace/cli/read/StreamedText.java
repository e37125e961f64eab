package dev.millrace.cli.read;

import dev.millrace.core.store.JobReader.OutputSoFar;

/**
 * Shows a task's text while it is generated, without repeating anything. If the current text starts
 * with what was shown, only the rest is shown. If it is shorter, because a server died and
 * generates the same text again, nothing is shown. If it differs, all of it is shown again.
 */
final class StreamedText {

  /** Receives the text. */
  interface Display {
    void text(String more);

    /** What was shown before is discarded: the text restarts from its beginning. */
    void restart();
  }

  private final Display reader;
  private final StringBuilder shown = new StringBuilder();
  private final StringBuilder draft = new StringBuilder();
  private boolean level = true; // whether draft equals what was shown
  private long next;

  StreamedText(Display reader) {
    this.reader = reader;
  }

  /** The position at which the next draft begins. */
  long next() {
    return next;
  }

  boolean isEmpty() {
    return shown.isEmpty();
  }

  /** Adds what was read from the journal from {@link #next} on. */
  void add(OutputSoFar more) {
    if (more.from() != next) {
      draft.setLength(0);
      level = shown.isEmpty();
    }
    next = more.next();
    String text = more.text();
    if (text.isEmpty()) {
      return;
    }
    draft.append(text);
    if (level) {
      show(text);
    } else {
      compare(draft);
    }
  }

  /** The final text. */
  void end(String result) {
    draft.setLength(0);
    draft.append(result);
    compare(draft);
    if (!level) { // it is shorter than what was shown
      replace(draft);
    }
  }

  private void compare(StringBuilder now) {
    int common = Math.min(now.length(), shown.length());
    if (!now.substring(0, common).contentEquals(shown.substring(0, common))) {
      replace(now);
    } else if (now.length() >= shown.length()) {
      level = true;
      show(now.substring(common));
    } else {
      level = false;
    }
  }

  private void replace(StringBuilder now) {
    shown.setLength(0);
    level = true;
    reader.restart();
    show(now.toString());
  }

  private void show(String text) {
    if (!text.isEmpty()) {
      shown.append(text);
      reader.text(text);
    }
  }
}

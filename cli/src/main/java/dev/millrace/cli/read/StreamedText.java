package dev.millrace.cli.read;

import dev.millrace.core.store.JobReader.OutputSoFar;

/**
 * A task's text as it is generated, shown so that nothing is shown twice. One rule: while what is
 * known now begins with what was shown, the rest is shown; while it is shorter, because a server
 * died and makes the same text once more, nothing is; where it differs, all of it is shown anew.
 */
final class StreamedText {

  /** Who is shown the text. */
  interface Display {
    void text(String more);

    /** What was shown before counts no more: it is shown from the beginning. */
    void restart();
  }

  private final Display reader;
  private final StringBuilder shown = new StringBuilder();
  private final StringBuilder draft = new StringBuilder();
  private boolean level = true; // draft is what was shown
  private long next;

  StreamedText(Display reader) {
    this.reader = reader;
  }

  /** Where the next draft is to begin. */
  long next() {
    return next;
  }

  boolean isEmpty() {
    return shown.isEmpty();
  }

  /** What a reader of the journal got when it asked from {@link #next} on. */
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

  /** The text as it is for good. */
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

package dev.millrace.engine.internal.jinja.value;

import java.util.BitSet;

/**
 * Python's {@code str}, and which of its characters come from the messages (or the other variables
 * of a rendering) and which from the template. Every operation on strings keeps the origin of each
 * character, so that a prompt shows at its end what the template wrote. Two strings of the same
 * characters are equal, whatever their origin: no template can tell them apart. Immutable.
 */
public final class PyString {
  private static final BitSet NO_CHARACTER = new BitSet(0);
  private static final BitSet EVERY_CHARACTER = new BitSet(0); // by identity: it has no length

  public static final PyString EMPTY = ofTemplate("");

  private final String text;
  private final BitSet fromMessage; // never changed after the constructor

  private PyString(String text, BitSet fromMessage) {
    this.text = text;
    this.fromMessage = fromMessage;
  }

  /** A text that the template contains, or that nobody could choose, such as a number. */
  public static PyString ofTemplate(String text) {
    return new PyString(text, NO_CHARACTER);
  }

  /** A text from outside. */
  public static PyString ofMessage(String text) {
    return new PyString(text, text.isEmpty() ? NO_CHARACTER : EVERY_CHARACTER);
  }

  /** The characters alone: to compare and to search, never to make another string of them. */
  public String text() {
    return text;
  }

  public int length() {
    return text.length();
  }

  public boolean isEmpty() {
    return text.isEmpty();
  }

  /** Whether the UTF-16 unit at this index comes from a message. */
  public boolean isFromMessage(int index) {
    return fromMessage == EVERY_CHARACTER || fromMessage.get(index);
  }

  /** The indexes of the UTF-16 units that come from messages, as a set of its own. */
  public BitSet messageIndexes() {
    BitSet indexes = new BitSet(text.length());
    if (fromMessage == EVERY_CHARACTER) {
      indexes.set(0, text.length());
    } else {
      indexes.or(fromMessage);
    }
    return indexes;
  }

  public PyString substring(int from) {
    return substring(from, text.length());
  }

  public PyString substring(int from, int to) {
    if (from == 0 && to == text.length()) {
      return this;
    }
    boolean one = fromMessage == EVERY_CHARACTER || fromMessage.isEmpty();
    return new PyString(text.substring(from, to), one ? fromMessage : fromMessage.get(from, to));
  }

  /**
   * This string in other letters: a change of case. It never makes a text shorter, so a text of the
   * same length has the same character at each index. If some became longer, which of them is not
   * known, and one that is partly from a message counts as all from it.
   */
  public PyString inLetters(String changed) {
    boolean template = fromMessage != EVERY_CHARACTER && fromMessage.isEmpty();
    return template || changed.length() == text.length()
        ? new PyString(changed, fromMessage)
        : ofMessage(changed);
  }

  public PyString repeat(int times) {
    Builder all = new Builder();
    for (int i = 0; i < times && !isEmpty(); i++) {
      all.append(this);
    }
    return all.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PyString string && text.equals(string.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The text, for messages of errors. */
  @Override
  public String toString() {
    return text;
  }

  /** Joins strings. It builds one string, once. */
  public static final class Builder {
    private final StringBuilder text = new StringBuilder();
    private final BitSet fromMessage = new BitSet();

    public int length() {
      return text.length();
    }

    /** Appends a text of the template, or of a filter itself. */
    public Builder append(String ofTemplate) {
      text.append(ofTemplate);
      return this;
    }

    public Builder append(PyString string) {
      return append(string, 0, string.length());
    }

    public Builder append(PyString string, int from, int to) {
      int shift = text.length() - from;
      text.append(string.text, from, to);
      if (string.fromMessage == EVERY_CHARACTER) {
        fromMessage.set(from + shift, to + shift);
        return this;
      }
      BitSet set = string.fromMessage;
      for (int at = set.nextSetBit(from); at >= 0 && at < to; ) {
        int end = Math.min(set.nextClearBit(at), to);
        fromMessage.set(at + shift, end + shift);
        at = set.nextSetBit(end);
      }
      return this;
    }

    /** Appends what stands for one character of a string, such as its escape. */
    public Builder append(String instead, PyString of, int index) {
      fromMessage.set(text.length(), text.length() + instead.length(), of.isFromMessage(index));
      text.append(instead);
      return this;
    }

    public PyString build() {
      boolean every = fromMessage.cardinality() == text.length() && !text.isEmpty();
      return new PyString(text.toString(), every ? EVERY_CHARACTER : fromMessage);
    }
  }
}

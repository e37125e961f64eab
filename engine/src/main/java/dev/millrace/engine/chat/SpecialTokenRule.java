package dev.millrace.engine.chat;

import java.util.Optional;
import java.util.stream.Stream;

/** Where the text of a special token in a rendered conversation is that token. */
public enum SpecialTokenRule {
  /** Only where the template wrote it: in a message it is plain text. */
  TEMPLATE("template"),
  /** Everywhere, also in a message: whoever writes one can end it and begin another. */
  TEXT("text");

  private final String id;

  SpecialTokenRule(String id) {
    this.id = id;
  }

  /** The rule with this id. */
  public static Optional<SpecialTokenRule> named(String id) {
    return Stream.of(values()).filter(rule -> rule.id.equals(id)).findFirst();
  }

  public String id() {
    return id;
  }
}

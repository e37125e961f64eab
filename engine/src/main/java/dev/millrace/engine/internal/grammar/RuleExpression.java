package dev.millrace.engine.internal.grammar;

import java.util.List;

/** The right-hand side of a rule. */
public sealed interface RuleExpression {
  /** One character of a set; matches nothing if the set is empty. */
  record Chars(CodePointSet set) implements RuleExpression {}

  /** Exactly this text. */
  record Text(String text) implements RuleExpression {}

  /** All parts in order; the empty text if there are none. */
  record Seq(List<RuleExpression> parts) implements RuleExpression {
    public Seq {
      parts = List.copyOf(parts);
    }
  }

  /** Any one of the choices; matches nothing if there are none. */
  record Alt(List<RuleExpression> choices) implements RuleExpression {
    public Alt {
      choices = List.copyOf(choices);
    }
  }

  /** Repeats {@code min} to {@code max} times; {@link #UNBOUNDED} is no limit. */
  record Repeat(RuleExpression body, int min, int max) implements RuleExpression {}

  /**
   * Items in order with a separator between those present: the form of an object's properties. As
   * alternatives, their number would be quadratic in the items. Neither an item nor the separator
   * matches the empty text.
   */
  record SeparatedItems(List<Item> items, RuleExpression separator) implements RuleExpression {
    public SeparatedItems {
      items = List.copyOf(items);
    }
  }

  /** An item of a list; an optional one may be missing. */
  record Item(RuleExpression expr, boolean optional) {}

  /** What the named rule matches. */
  record Ref(String rule) implements RuleExpression {}

  int UNBOUNDED = -1;

  /** About what one expression takes in memory, without its parts. */
  int BYTES = 64;

  RuleExpression EMPTY = new Seq(List.of());
  RuleExpression NOTHING = new Alt(List.of());

  static RuleExpression seq(RuleExpression... parts) {
    return new Seq(List.of(parts));
  }

  static RuleExpression alt(RuleExpression... choices) {
    return new Alt(List.of(choices));
  }

  static RuleExpression text(String text) {
    return new Text(text);
  }

  static RuleExpression optional(RuleExpression body) {
    return new Repeat(body, 0, 1);
  }

  static RuleExpression chars(int... pairs) {
    return new Chars(CodePointSet.ranges(pairs));
  }
}

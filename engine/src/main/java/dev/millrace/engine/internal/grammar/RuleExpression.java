package dev.millrace.engine.internal.grammar;

import java.util.List;

/** What stands on the right of a rule. */
public sealed interface RuleExpression {
  /** One character of a set; nothing at all where the set is empty. */
  record Chars(CodePointSet set) implements RuleExpression {}

  /** Exactly this text. */
  record Text(String text) implements RuleExpression {}

  /** All in turn; the empty text where there are none. */
  record Seq(List<RuleExpression> parts) implements RuleExpression {
    public Seq {
      parts = List.copyOf(parts);
    }
  }

  /** Any one of them; nothing where there are none. */
  record Alt(List<RuleExpression> choices) implements RuleExpression {
    public Alt {
      choices = List.copyOf(choices);
    }
  }

  /** From {@code min} to {@code max} times in a row; a max of {@link #UNBOUNDED} is no limit. */
  record Repeat(RuleExpression body, int min, int max) implements RuleExpression {}

  /**
   * Items in their order with a separator between those present: the shape of an object's
   * properties, kept apart from alternatives because it would take a number of them that is
   * quadratic in the items. Neither the items nor the separator match the empty text.
   */
  record SeparatedItems(List<Item> items, RuleExpression separator) implements RuleExpression {
    public SeparatedItems {
      items = List.copyOf(items);
    }
  }

  /** An item of a list, left out at will where it is optional. */
  record Item(RuleExpression expr, boolean optional) {}

  /** Whatever the named rule matches. */
  record Ref(String rule) implements RuleExpression {}

  int UNBOUNDED = -1;
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

package dev.millrace.engine.grammar;

import java.util.List;

/** What stands on the right of a rule. */
sealed interface Expr {
  /** One character of a set; nothing at all where the set is empty. */
  record Chars(CodePoints set) implements Expr {}

  /** Exactly this text. */
  record Text(String text) implements Expr {}

  /** All in turn; the empty text where there are none. */
  record Seq(List<Expr> parts) implements Expr {
    public Seq {
      parts = List.copyOf(parts);
    }
  }

  /** Any one of them; nothing where there are none. */
  record Alt(List<Expr> choices) implements Expr {
    public Alt {
      choices = List.copyOf(choices);
    }
  }

  /** From {@code min} to {@code max} times in a row; a max of {@link #UNBOUNDED} is no limit. */
  record Repeat(Expr body, int min, int max) implements Expr {}

  /**
   * Items in their order with a separator between those present: the shape of an object's
   * properties, kept apart from alternatives because it would take a number of them that is
   * quadratic in the items. Neither the items nor the separator match the empty text.
   */
  record Listed(List<Item> items, Expr separator) implements Expr {
    public Listed {
      items = List.copyOf(items);
    }
  }

  /** An item of a list, left out at will where it is optional. */
  record Item(Expr expr, boolean optional) {}

  /** Whatever the named rule matches. */
  record Ref(String rule) implements Expr {}

  int UNBOUNDED = -1;
  Expr EMPTY = new Seq(List.of());
  Expr NOTHING = new Alt(List.of());

  static Expr seq(Expr... parts) {
    return new Seq(List.of(parts));
  }

  static Expr alt(Expr... choices) {
    return new Alt(List.of(choices));
  }

  static Expr text(String text) {
    return new Text(text);
  }

  static Expr optional(Expr body) {
    return new Repeat(body, 0, 1);
  }

  static Expr chars(int... pairs) {
    return new Chars(CodePoints.ranges(pairs));
  }
}

package dev.millrace.engine.grammar;

import dev.millrace.engine.internal.grammar.CodePointSet;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Membership and viability of prefixes by plain recursion over the expressions of a grammar in
 * which every rule can be completed. A match that asks for a byte after the end of the text shows
 * that the text is a viable prefix.
 */
final class ReferenceGrammarMatcher {
  private final Map<String, RuleExpression> rules;
  private final byte[] text;
  private final Map<RuleExpression, Map<Integer, Set<Integer>>> known = new IdentityHashMap<>();
  private boolean wantsMore;
  private final boolean member;

  private ReferenceGrammarMatcher(Grammar grammar, byte[] text) {
    rules = grammar.rules().rules();
    this.text = text;
    member = ends(new Ref(grammar.rules().root()), 0).contains(text.length);
  }

  static boolean isMember(Grammar grammar, byte[] text) {
    return new ReferenceGrammarMatcher(grammar, text).member;
  }

  /** Whether some text of the grammar begins with this one. */
  static boolean isViable(Grammar grammar, byte[] text) {
    ReferenceGrammarMatcher oracle = new ReferenceGrammarMatcher(grammar, text);
    return oracle.member || oracle.wantsMore;
  }

  private Set<Integer> ends(RuleExpression expr, int from) {
    Map<Integer, Set<Integer>> byStart = known.computeIfAbsent(expr, key -> new HashMap<>());
    Set<Integer> ends = byStart.get(from);
    if (ends == null) {
      ends = find(expr, from);
      byStart.put(from, ends);
    }
    return ends;
  }

  private Set<Integer> find(RuleExpression expr, int from) {
    return switch (expr) {
      case Chars chars -> character(chars.set(), from);
      case Text t -> literal(t.text().getBytes(StandardCharsets.UTF_8), from);
      case Seq seq -> sequence(seq.parts(), from);
      case Alt alt -> {
        Set<Integer> all = new TreeSet<>();
        alt.choices().forEach(choice -> all.addAll(ends(choice, from)));
        yield all;
      }
      case Repeat repeat -> repetition(repeat, from);
      case SeparatedItems list -> listed(list, 0, false, from);
      case Ref ref -> ends(Objects.requireNonNull(rules.get(ref.rule())), from);
    };
  }

  private Set<Integer> sequence(List<RuleExpression> parts, int from) {
    Set<Integer> at = new TreeSet<>(Set.of(from));
    for (RuleExpression part : parts) {
      Set<Integer> next = new TreeSet<>();
      at.forEach(position -> next.addAll(ends(part, position)));
      at = next;
    }
    return at;
  }

  private Set<Integer> repetition(Repeat repeat, int from) {
    Set<Integer> result = new TreeSet<>();
    Set<Integer> at = new TreeSet<>(Set.of(from));
    int most =
        repeat.max() == RuleExpression.UNBOUNDED ? repeat.min() + text.length + 1 : repeat.max();
    for (int count = 0; count <= most && !at.isEmpty(); count++) {
      if (count >= repeat.min()) {
        result.addAll(at);
      }
      if (count < most) {
        Set<Integer> next = new TreeSet<>();
        at.forEach(position -> next.addAll(ends(repeat.body(), position)));
        at = next;
      }
    }
    return result;
  }

  private Set<Integer> listed(SeparatedItems list, int index, boolean some, int from) {
    if (index == list.items().size()) {
      return Set.of(from);
    }
    RuleExpression.Item item = list.items().get(index);
    Set<Integer> result = new TreeSet<>();
    if (item.optional()) {
      result.addAll(listed(list, index + 1, some, from));
    }
    List<RuleExpression> body =
        some ? List.of(list.separator(), item.expr()) : List.of(item.expr());
    sequence(body, from).forEach(end -> result.addAll(listed(list, index + 1, true, end)));
    return result;
  }

  private Set<Integer> literal(byte[] bytes, int from) {
    for (int i = 0; i < bytes.length; i++) {
      if (from + i == text.length) {
        wantsMore = true;
        return Set.of();
      }
      if (text[from + i] != bytes[i]) {
        return Set.of();
      }
    }
    return Set.of(from + bytes.length);
  }

  private Set<Integer> character(CodePointSet set, int from) {
    if (set.isEmpty()) {
      return Set.of();
    }
    if (from == text.length) {
      wantsMore = true;
      return Set.of();
    }
    int lead = text[from] & 0xff;
    int length =
        lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0) {
      return Set.of();
    }
    int have = Math.min(length, text.length - from);
    int value = length == 1 ? lead : lead & (0x7f >> length);
    for (int i = 1; i < have; i++) {
      if ((text[from + i] & 0xc0) != 0x80) {
        return Set.of();
      }
      value = value << 6 | text[from + i] & 0x3f;
    }
    int open = 6 * (length - have);
    int low = Math.max(value << open, new int[] {0, 0, 0x80, 0x800, 0x10000}[length]);
    int high = (value + 1 << open) - 1;
    if (set.and(CodePointSet.range(low, Math.min(high, 0x10ffff))).isEmpty()
        || low > Math.min(high, 0x10ffff)) {
      return Set.of();
    }
    if (have < length) {
      wantsMore = true;
      return Set.of();
    }
    return Set.of(from + length);
  }
}

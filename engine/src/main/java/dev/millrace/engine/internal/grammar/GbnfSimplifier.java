package dev.millrace.engine.internal.grammar;

import static dev.millrace.engine.internal.grammar.RuleExpression.optional;

import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Item;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rewrites rules to what llama.cpp can read, without changing the language. It takes an unbounded
 * repetition of something that may be empty for left recursion, an empty character class for the
 * empty text, and refuses large counts. It knows no lists of separated items and only short names.
 * Rules that the root does not need are left out.
 */
final class GbnfSimplifier {
  static final String ROOT = "root";

  /** The highest count of a repetition; newer versions of llama.cpp refuse 2000. */
  private static final int BLOCK = 250;

  private final GrammarRules grammar;
  private final CompileBudget budget;
  private final NonEmptyExpression nonEmpty;
  private final Map<String, RuleExpression> rewritten = new LinkedHashMap<>();
  private final Map<String, Ref> references = new HashMap<>(); // by the rule's name in the grammar
  private final Map<RuleExpression, Ref> parts = new HashMap<>(); // rules made here
  private final Map<String, Integer> numbers = new HashMap<>(); // the last one of each name
  private final ArrayDeque<Runnable> pending = new ArrayDeque<>();

  private GbnfSimplifier(GrammarRules grammar, CompileBudget budget) {
    this.grammar = grammar;
    this.budget = budget;
    nonEmpty = new NonEmptyExpression(grammar, budget);
  }

  /** The rules by their new names, the root first. They have no {@link SeparatedItems}. */
  static Map<String, RuleExpression> simplify(GrammarRules grammar, CompileBudget budget) {
    GbnfSimplifier simplifier = new GbnfSimplifier(grammar, budget);
    simplifier.references.put(
        grammar.root(), simplifier.add(ROOT, grammar.rules().get(grammar.root())));
    while (!simplifier.pending.isEmpty()) {
      simplifier.pending.remove().run();
    }
    return simplifier.rewritten;
  }

  /** A new rule, rewritten later: rules may be recursive. */
  private Ref add(String wanted, RuleExpression expr) {
    String name = unused(wanted);
    rewritten.put(name, RuleExpression.EMPTY);
    pending.add(() -> rewritten.put(name, rewrite(expr, name)));
    return new Ref(name);
  }

  /** Letters, digits and hyphens of a name, with a number if it is taken. */
  private String unused(String wanted) {
    String plain =
        wanted.replaceAll("[^a-zA-Z0-9]+", "-").replaceAll("^-|-$", "").replaceAll("^$", "rule");
    String name = plain;
    while (rewritten.containsKey(name)) {
      name = plain + "-" + numbers.merge(plain, 1, Integer::sum);
    }
    return name;
  }

  private RuleExpression rewrite(RuleExpression expr, String owner) {
    budget.chargeBytes(RuleExpression.BYTES);
    return switch (expr) {
      case Chars chars -> chars;
      case Text text -> text;
      case Seq seq -> new Seq(seq.parts().stream().map(part -> rewrite(part, owner)).toList());
      case Alt alt ->
          new Alt(
              alt.choices().stream()
                  .filter(choice -> grammar.analysis().isProductive(choice, budget))
                  .map(choice -> rewrite(choice, owner))
                  .toList());
      case Repeat repeat -> repeat(repeat, owner);
      case SeparatedItems list -> list(list, owner);
      case Ref ref -> reference(ref.rule());
    };
  }

  private Ref reference(String rule) {
    Ref known = references.get(rule);
    if (known == null) {
      known = add(rule, grammar.rules().get(rule));
      references.put(rule, known);
    }
    return known;
  }

  /** A rule for a part of another rule, the same for equal parts. */
  private Ref part(RuleExpression expr, String owner) {
    Ref known = parts.get(expr);
    if (known == null) {
      known = add(owner.replaceAll("-part(-\\d+)?$", "") + "-part", expr);
      parts.put(expr, known);
    }
    return known;
  }

  private RuleExpression repeat(Repeat repeat, String owner) {
    RuleExpression body = nonEmpty.of(repeat.body());
    if (repeat.max() == 0 || !grammar.analysis().isProductive(body, budget)) {
      return RuleExpression.EMPTY;
    }
    int min = grammar.analysis().isNullable(repeat.body(), budget) ? 0 : repeat.min();
    boolean unbounded = repeat.max() == RuleExpression.UNBOUNDED;
    int counted = unbounded ? min : repeat.max();
    if (counted <= BLOCK) {
      return new Repeat(counted > 1 ? unit(body, owner) : rewrite(body, owner), min, repeat.max());
    }
    List<RuleExpression> sequence = new ArrayList<>();
    if (min >= BLOCK) {
      sequence.add(new Repeat(block(body, owner), min / BLOCK, min / BLOCK));
    }
    if (min % BLOCK > 0) {
      sequence.add(rewrite(new Repeat(body, min % BLOCK, min % BLOCK), owner));
    }
    if (unbounded) {
      sequence.add(rewrite(new Repeat(body, 0, RuleExpression.UNBOUNDED), owner));
    } else if (repeat.max() > min) {
      sequence.add(upTo(body, repeat.max() - min, owner));
    }
    return new Seq(sequence);
  }

  /** What is counted has a rule of its own: newer versions multiply the counts within a group. */
  private RuleExpression unit(RuleExpression body, String owner) {
    return switch (body) {
      case Chars chars -> chars;
      case Text text -> text;
      case Ref ref -> reference(ref.rule());
      default -> part(body, owner);
    };
  }

  private Ref block(RuleExpression body, String owner) {
    return part(new Repeat(body, BLOCK, BLOCK), owner);
  }

  /** Either a whole block and then up to the rest, or less than a block: it is not ambiguous. */
  private RuleExpression upTo(RuleExpression body, int count, String owner) {
    RuleExpression less = part(new Repeat(body, 0, Math.min(count, BLOCK - 1)), owner);
    RuleExpression upTo = rewrite(new Repeat(body, 0, count % BLOCK), owner);
    for (int whole = BLOCK; whole <= count; whole += BLOCK) {
      String name = unused(owner + "-upto-" + (whole + count % BLOCK));
      rewritten.put(name, new Alt(List.of(new Seq(List.of(block(body, owner), upTo)), less)));
      upTo = new Ref(name);
    }
    return upTo;
  }

  private RuleExpression list(SeparatedItems list, String owner) {
    List<Item> items =
        list.items().stream()
            .filter(item -> grammar.analysis().isProductive(item.expr(), budget))
            .toList();
    if (items.isEmpty()) {
      return RuleExpression.EMPTY;
    }
    RuleExpression separator = rewrite(list.separator(), owner);
    if (items.getFirst().optional()) {
      return optionalFirst(items, separator, owner);
    }
    List<RuleExpression> sequence = new ArrayList<>();
    sequence.add(rewrite(items.getFirst().expr(), owner));
    for (Item item : items.subList(1, items.size())) {
      sequence.add(following(item, rewrite(item.expr(), owner), separator));
    }
    return new Seq(sequence);
  }

  private static RuleExpression following(
      Item item, RuleExpression expr, RuleExpression separator) {
    RuleExpression both = new Seq(List.of(separator, expr));
    return item.optional() ? optional(both) : both;
  }

  /**
   * Any item up to the first required one may be the first that is present. The items after it have
   * rules, as several of these choices share them.
   */
  private RuleExpression optionalFirst(List<Item> items, RuleExpression separator, String owner) {
    List<RuleExpression> choices = new ArrayList<>();
    RuleExpression after = RuleExpression.EMPTY;
    boolean mayBeEmpty = items.stream().allMatch(Item::optional);
    for (int i = items.size() - 1; i >= 0; i--) {
      Item item = items.get(i);
      if (!item.optional()) {
        choices.clear(); // none after this one can be the first
      }
      RuleExpression expr = part(item.expr(), owner);
      choices.addFirst(new Seq(List.of(expr, after)));
      if (i > 0) {
        String name = unused(owner + "-after");
        rewritten.put(name, new Seq(List.of(following(item, expr, separator), after)));
        after = new Ref(name);
      }
    }
    if (mayBeEmpty) {
      choices.add(RuleExpression.EMPTY);
    }
    return new Alt(choices);
  }
}

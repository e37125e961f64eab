package dev.millrace.engine.internal.grammar;

import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Item;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
import java.util.ArrayList;
import java.util.List;

/** What an expression matches, without the empty text. It ends, as no rule is left-recursive. */
final class NonEmptyExpression {
  private final GrammarRules grammar;
  private final CompileBudget budget;

  NonEmptyExpression(GrammarRules grammar, CompileBudget budget) {
    this.grammar = grammar;
    this.budget = budget;
  }

  /** {@link RuleExpression#NOTHING} if the expression matches the empty text alone. */
  RuleExpression of(RuleExpression expr) {
    budget.chargeBytes(RuleExpression.BYTES);
    if (!grammar.analysis().isNullable(expr, budget)) {
      return expr;
    }
    return switch (expr) {
      case Chars chars -> chars;
      case Text text -> RuleExpression.NOTHING;
      case Seq seq -> firstNonEmpty(seq.parts());
      case Alt alt -> new Alt(alt.choices().stream().map(this::of).toList());
      case Repeat repeat ->
          repeat.max() == 0
              ? RuleExpression.NOTHING
              : new Repeat(
                  of(repeat.body()),
                  grammar.analysis().isNullable(repeat.body(), budget)
                      ? 1
                      : Math.max(1, repeat.min()),
                  repeat.max());
      case SeparatedItems list -> someItem(list);
      case Ref ref -> of(grammar.rules().get(ref.rule()));
    };
  }

  /** Each part in turn is the first that is not empty; all of them may be. */
  private RuleExpression firstNonEmpty(List<RuleExpression> parts) {
    List<RuleExpression> choices = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      budget.chargeBytes(RuleExpression.BYTES + 8L * (parts.size() - i));
      List<RuleExpression> rest = new ArrayList<>(parts.subList(i, parts.size()));
      rest.set(0, of(parts.get(i)));
      choices.add(new Seq(rest));
    }
    return new Alt(choices);
  }

  /** Each item in turn is the first that is present; all of them are optional. */
  private RuleExpression someItem(SeparatedItems list) {
    List<RuleExpression> choices = new ArrayList<>();
    for (int i = 0; i < list.items().size(); i++) {
      budget.chargeBytes(RuleExpression.BYTES + 8L * (list.items().size() - i));
      List<Item> rest = new ArrayList<>(list.items().subList(i, list.items().size()));
      rest.set(0, new Item(rest.getFirst().expr(), false));
      choices.add(new SeparatedItems(rest, list.separator()));
    }
    return new Alt(choices);
  }
}

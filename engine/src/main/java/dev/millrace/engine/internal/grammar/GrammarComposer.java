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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds a grammar out of others. Their rules get new names, but for the common ones of JSON. */
public final class GrammarComposer {
  private static final String ROOT = "root";
  private static final Map<String, RuleExpression> COMMON = JsonSyntax.rules();

  private final Map<String, RuleExpression> rules = new LinkedHashMap<>();
  private final CompileBudget budget;
  private int parts;

  public GrammarComposer(CompileBudget budget) {
    this.budget = budget;
    rules.put(ROOT, RuleExpression.NOTHING);
  }

  /** Adds the rules of a part, and gives what stands for the part in an expression. */
  public RuleExpression include(GrammarRules part) {
    parts++;
    Map<String, String> names = new HashMap<>();
    part.rules()
        .forEach(
            (name, expr) -> {
              boolean common = expr.equals(COMMON.get(name));
              budget.chargeBytes(RuleExpression.BYTES + 2L * name.length());
              names.put(name, common ? name : "part" + parts + "-" + name);
            });
    part.rules().forEach((name, expr) -> rules.put(names.get(name), renamed(expr, names)));
    return new Ref(names.get(part.root()));
  }

  /** The grammar of an expression over the parts. */
  public GrammarRules compose(RuleExpression root) {
    rules.put(ROOT, root);
    return new GrammarRules(ROOT, rules, budget);
  }

  private RuleExpression renamed(RuleExpression expr, Map<String, String> names) {
    budget.chargeBytes(RuleExpression.BYTES);
    return switch (expr) {
      case Chars chars -> chars;
      case Text text -> text;
      case Ref ref -> new Ref(names.get(ref.rule()));
      case Seq seq -> new Seq(renamed(seq.parts(), names));
      case Alt alt -> new Alt(renamed(alt.choices(), names));
      case Repeat repeat -> new Repeat(renamed(repeat.body(), names), repeat.min(), repeat.max());
      case SeparatedItems list ->
          new SeparatedItems(
              list.items().stream()
                  .map(item -> new Item(renamed(item.expr(), names), item.optional()))
                  .toList(),
              renamed(list.separator(), names));
    };
  }

  private List<RuleExpression> renamed(List<RuleExpression> exprs, Map<String, String> names) {
    return exprs.stream().map(expr -> renamed(expr, names)).toList();
  }
}

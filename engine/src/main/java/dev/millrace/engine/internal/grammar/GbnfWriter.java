package dev.millrace.engine.internal.grammar;

import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
import java.util.List;

/**
 * Writes rules as GBNF, in the dialect that llama.cpp reads, a rule a line. Masks are compiled from
 * the same rules, so the text describes the same language.
 */
public final class GbnfWriter {
  private static final String EMPTY = "\"\"";

  private final StringBuilder out = new StringBuilder();

  private final CompileBudget budget;

  private GbnfWriter(CompileBudget budget) {
    this.budget = budget;
  }

  public static String write(GrammarRules grammar, CompileBudget budget) {
    GbnfWriter writer = new GbnfWriter(budget);
    GbnfSimplifier.simplify(grammar, budget)
        .forEach(
            (name, expr) -> {
              writer.out.append(name).append(" ::= ");
              writer.alternatives(expr);
              writer.out.append('\n');
            });
    return writer.out.toString();
  }

  private void alternatives(RuleExpression expr) {
    if (expr instanceof Alt alt) {
      each(alt.choices(), " | ");
    } else {
      sequence(expr);
    }
  }

  private void each(List<RuleExpression> parts, String separator) {
    for (int i = 0; i < parts.size(); i++) {
      if (i > 0) {
        out.append(separator);
      }
      sequence(parts.get(i));
    }
  }

  private void sequence(RuleExpression expr) {
    budget.chargeSteps(1);
    switch (expr) {
      case Seq seq -> {
        List<RuleExpression> parts =
            seq.parts().stream().filter(part -> !part.equals(RuleExpression.EMPTY)).toList();
        if (parts.isEmpty()) {
          out.append(EMPTY);
        }
        each(parts, " ");
      }
      case Alt alt when alt.choices().size() == 1 -> sequence(alt.choices().getFirst());
      case Repeat repeat -> {
        unit(repeat.body());
        out.append(quantifier(repeat.min(), repeat.max()));
      }
      default -> unit(expr);
    }
  }

  /** What a quantifier may follow. */
  private void unit(RuleExpression expr) {
    switch (expr) {
      case Chars chars -> characterClass(chars.set());
      case Text text -> {
        budget.chargeBytes(10L * text.text().length());
        out.append('"');
        text.text().codePoints().forEach(this::literalCharacter);
        out.append('"');
      }
      case Ref ref -> out.append(ref.rule());
      case Seq seq -> group(seq);
      case Alt alt -> group(alt);
      case Repeat repeat -> group(repeat);
      case SeparatedItems list -> throw new IllegalStateException("not simplified: " + list);
    }
  }

  private void group(RuleExpression expr) {
    out.append('(');
    alternatives(expr);
    out.append(')');
  }

  private static String quantifier(int min, int max) {
    if (max == RuleExpression.UNBOUNDED) {
      return min == 0 ? "*" : min == 1 ? "+" : "{" + min + ",}";
    }
    if (max == 1) {
      return min == 0 ? "?" : "";
    }
    return min == max ? "{" + min + "}" : "{" + min + "," + max + "}";
  }

  private void characterClass(CodePointSet set) {
    out.append('[');
    int[] bounds = set.bounds();
    budget.chargeBytes(11L * bounds.length);
    for (int i = 0; i < bounds.length; i += 2) {
      classCharacter(bounds[i]);
      if (bounds[i + 1] > bounds[i]) {
        out.append('-');
        classCharacter(bounds[i + 1]);
      }
    }
    out.append(']');
  }

  private void literalCharacter(int c) {
    if (c == '"' || c == '\\') {
      out.append('\\').append((char) c);
    } else if (c >= ' ' && c < 0x7f) {
      out.append((char) c);
    } else {
      escape(c);
    }
  }

  /** Letters and digits as they are; all else by number, as some have a meaning in a class. */
  private void classCharacter(int c) {
    if (c < 0x80 && Character.isLetterOrDigit(c)) {
      out.append((char) c);
    } else {
      escape(c);
    }
  }

  private void escape(int c) {
    out.append((c < 0x100 ? "\\x%02X" : c < 0x10000 ? "\\u%04X" : "\\U%08X").formatted(c));
  }
}

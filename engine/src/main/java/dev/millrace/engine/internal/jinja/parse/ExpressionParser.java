package dev.millrace.engine.internal.jinja.parse;

import dev.millrace.engine.internal.jinja.parse.Expression.And;
import dev.millrace.engine.internal.jinja.parse.Expression.Binary;
import dev.millrace.engine.internal.jinja.parse.Expression.Comparison;
import dev.millrace.engine.internal.jinja.parse.Expression.ComparisonChain;
import dev.millrace.engine.internal.jinja.parse.Expression.Concatenation;
import dev.millrace.engine.internal.jinja.parse.Expression.Conditional;
import dev.millrace.engine.internal.jinja.parse.Expression.Or;
import dev.millrace.engine.internal.jinja.parse.Expression.TupleOf;
import dev.millrace.engine.internal.jinja.parse.Expression.Unary;
import dev.millrace.engine.internal.jinja.parse.JinjaToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Parses expressions by precedence, weakest first: conditional, or, and, not, comparison, + -, ~, *
 * / // %, **, sign; {@link OperandParser} does the rest.
 */
final class ExpressionParser {
  private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");

  private final JinjaTokenCursor tokens;
  private final OperandParser operands;

  ExpressionParser(JinjaTokenCursor tokens) {
    this.tokens = tokens;
    this.operands = new OperandParser(tokens, this);
  }

  OperandParser operands() {
    return operands;
  }

  Expression expression() {
    return expression(true);
  }

  /**
   * Parses without a conditional: up to an {@code if} that belongs to the statement, as in {@code
   * for x in y if z}.
   */
  Expression expression(boolean conditional) {
    tokens.enter();
    try {
      return conditional ? conditional() : or();
    } finally {
      tokens.leave();
    }
  }

  /** One expression, or a tuple if commas follow it. */
  Expression tuple(boolean conditional) {
    Expression first = expression(conditional);
    if (!tokens.atOperator(",")) {
      return first;
    }
    List<Expression> items = new ArrayList<>(List.of(first));
    while (tokens.skipOperator(",") && startsExpression()) {
      items.add(expression(conditional));
    }
    return new TupleOf(items);
  }

  private boolean startsExpression() {
    JinjaToken token = tokens.peek();
    return switch (token.kind()) {
      case BLOCK_END, PRINT_END, END -> false;
      case OPERATOR -> Set.of("(", "[", "{", "-", "+").contains(token.text());
      case NAME -> !token.text().equals("in") && !token.text().equals("if");
      default -> true;
    };
  }

  private Expression conditional() {
    int suspects = tokens.unsupportedCount();
    Expression value = or();
    while (tokens.skipName("if")) {
      Expression test = or();
      Expression otherwise = tokens.skipName("else") ? expression() : null;
      tokens.dropUnsupportedAfter(suspects);
      value = new Conditional(test, value, otherwise);
    }
    return value;
  }

  private Expression or() {
    Expression left = and();
    while (tokens.skipName("or")) {
      left = new Or(left, and());
    }
    return left;
  }

  private Expression and() {
    Expression left = not();
    while (tokens.skipName("and")) {
      left = new And(left, not());
    }
    return left;
  }

  private Expression not() {
    if (!tokens.skipName("not")) {
      return compared();
    }
    tokens.enter();
    Expression of = not();
    tokens.leave();
    return new Unary("not", of);
  }

  private Expression compared() {
    Expression first = sum();
    List<Comparison> rest = new ArrayList<>();
    while (true) {
      if (tokens.at(Kind.OPERATOR) && COMPARISONS.contains(tokens.peek().text())) {
        rest.add(new Comparison(tokens.next().text(), sum()));
      } else if (tokens.skipName("in")) {
        rest.add(new Comparison("in", sum()));
      } else if (tokens.atName("not") && tokens.peekNext().is(Kind.NAME, "in")) {
        tokens.next();
        tokens.next();
        rest.add(new Comparison("not in", sum()));
      } else {
        return rest.isEmpty() ? first : new ComparisonChain(first, rest);
      }
    }
  }

  private Expression sum() {
    Expression left = concatenated();
    while (tokens.atOperator("+") || tokens.atOperator("-")) {
      left = new Binary(tokens.next().text(), left, concatenated());
    }
    return left;
  }

  private Expression concatenated() {
    Expression first = product();
    if (!tokens.atOperator("~")) {
      return first;
    }
    List<Expression> parts = new ArrayList<>(List.of(first));
    while (tokens.skipOperator("~")) {
      parts.add(product());
    }
    return new Concatenation(parts);
  }

  private Expression product() {
    Expression left = power();
    while (tokens.atOperator("*")
        || tokens.atOperator("/")
        || tokens.atOperator("//")
        || tokens.atOperator("%")) {
      left = new Binary(tokens.next().text(), left, power());
    }
    return left;
  }

  private Expression power() {
    Expression left = signed(true);
    while (tokens.skipOperator("**")) {
      left = new Binary("**", left, signed(true));
    }
    return left;
  }

  private Expression signed(boolean filtered) {
    Expression value;
    if (tokens.atOperator("-") || tokens.atOperator("+")) {
      tokens.enter();
      value = new Unary(tokens.next().text(), signed(false));
      tokens.leave();
    } else {
      value = operands.primary();
    }
    value = operands.postfix(value);
    return filtered ? operands.filters(value) : value;
  }
}

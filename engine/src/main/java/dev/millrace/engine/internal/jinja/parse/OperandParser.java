package dev.millrace.engine.internal.jinja.parse;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.filter.BuiltinFilters;
import dev.millrace.engine.internal.jinja.filter.BuiltinTests;
import dev.millrace.engine.internal.jinja.parse.Expression.Attribute;
import dev.millrace.engine.internal.jinja.parse.Expression.Call;
import dev.millrace.engine.internal.jinja.parse.Expression.CallArguments;
import dev.millrace.engine.internal.jinja.parse.Expression.Constant;
import dev.millrace.engine.internal.jinja.parse.Expression.DictOf;
import dev.millrace.engine.internal.jinja.parse.Expression.FilterCall;
import dev.millrace.engine.internal.jinja.parse.Expression.Item;
import dev.millrace.engine.internal.jinja.parse.Expression.ListOf;
import dev.millrace.engine.internal.jinja.parse.Expression.Name;
import dev.millrace.engine.internal.jinja.parse.Expression.Slice;
import dev.millrace.engine.internal.jinja.parse.Expression.TestCall;
import dev.millrace.engine.internal.jinja.parse.Expression.TupleOf;
import dev.millrace.engine.internal.jinja.parse.Expression.Unary;
import dev.millrace.engine.internal.jinja.parse.JinjaToken.Kind;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the operands of operators: literals, names, attributes, items, calls, filters and tests.
 */
final class OperandParser {
  private final JinjaTokenCursor tokens;
  private final ExpressionParser expressions;

  OperandParser(JinjaTokenCursor tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  Expression primary() {
    JinjaToken token = tokens.next();
    return switch (token.kind()) {
      case NAME -> named(token.text());
      case STRING -> string(token);
      case INTEGER -> new Constant(integer(token));
      case FLOAT -> new Constant(Double.valueOf(token.text()));
      case OPERATOR -> bracketed(token);
      default ->
          throw new ChatTemplateException(
              "expected an expression, found " + token.shown(), token.line());
    };
  }

  private static Expression named(String name) {
    return switch (name) {
      case "true", "True" -> new Constant(true);
      case "false", "False" -> new Constant(false);
      case "none", "None" -> new Constant(None.NONE);
      default -> new Name(name);
    };
  }

  /** Joins adjacent strings. */
  private Expression string(JinjaToken first) {
    StringBuilder text = new StringBuilder(first.text());
    while (tokens.at(Kind.STRING)) {
      text.append(tokens.next().text());
    }
    return new Constant(PyString.ofTemplate(text.toString()));
  }

  private static Object integer(JinjaToken token) {
    String text = token.text().toLowerCase(Locale.ROOT);
    int radix =
        text.startsWith("0x") ? 16 : text.startsWith("0o") ? 8 : text.startsWith("0b") ? 2 : 10;
    BigInteger value = new BigInteger(radix == 10 ? text : text.substring(2), radix);
    return PyTypes.fromJava(value, "number", 0);
  }

  private Expression bracketed(JinjaToken open) {
    tokens.enter();
    try {
      return switch (open.text()) {
        case "(" -> parenthesized();
        case "[" -> new ListOf(items("]"));
        case "{" -> dict();
        default ->
            throw new ChatTemplateException(
                "expected an expression, found '" + open.text() + "'", open.line());
      };
    } finally {
      tokens.leave();
    }
  }

  private Expression parenthesized() {
    if (tokens.skipOperator(")")) {
      return new TupleOf(List.of());
    }
    Expression first = expressions.expression();
    if (tokens.skipOperator(")")) {
      return first;
    }
    tokens.expectOperator(",");
    List<Expression> items = new ArrayList<>(List.of(first));
    items.addAll(items(")"));
    return new TupleOf(items);
  }

  private List<Expression> items(String close) {
    List<Expression> items = new ArrayList<>();
    while (!tokens.skipOperator(close)) {
      items.add(expressions.expression());
      if (!tokens.atOperator(close)) {
        tokens.expectOperator(",");
      }
    }
    return items;
  }

  private Expression dict() {
    List<Map.Entry<Expression, Expression>> entries = new ArrayList<>();
    while (!tokens.skipOperator("}")) {
      Expression key = expressions.expression();
      tokens.expectOperator(":");
      entries.add(Map.entry(key, expressions.expression()));
      if (!tokens.atOperator("}")) {
        tokens.expectOperator(",");
      }
    }
    return new DictOf(entries);
  }

  /** Attributes, items and calls that follow a value. */
  Expression postfix(Expression value) {
    Expression result = value;
    while (true) {
      if (tokens.skipOperator(".")) {
        result = member(result);
      } else if (tokens.skipOperator("[")) {
        result = subscript(result);
      } else if (tokens.atOperator("(")) {
        result = new Call(result, arguments());
      } else {
        return result;
      }
    }
  }

  private Expression member(Expression of) {
    return tokens.at(Kind.INTEGER)
        ? new Item(of, new Constant(integer(tokens.next())))
        : new Attribute(of, tokens.name());
  }

  private Expression subscript(Expression of) {
    Expression start = tokens.atOperator(":") ? null : expressions.expression();
    if (tokens.atOperator(":")) {
      tokens.next();
      Expression stop = bound();
      Expression step = tokens.skipOperator(":") ? bound() : null;
      tokens.expectOperator("]");
      return new Slice(of, start, stop, step);
    }
    tokens.expectOperator("]");
    return new Item(of, Objects.requireNonNull(start));
  }

  private @Nullable Expression bound() {
    return tokens.atOperator(":") || tokens.atOperator("]") ? null : expressions.expression();
  }

  /** Parses filters, tests, and calls of their results. */
  Expression filters(Expression value) {
    Expression result = value;
    while (true) {
      if (tokens.atOperator("|")) {
        result = filterChain(result);
      } else if (tokens.skipName("is")) {
        result = test(result);
      } else if (tokens.atOperator("(")) {
        result = new Call(result, arguments());
      } else {
        return result;
      }
    }
  }

  /** {@code | name(arguments) | ...} applied to {@code value}. */
  Expression filterChain(@Nullable Expression value) {
    Expression result = value;
    while (tokens.skipOperator("|")) {
      result = filter(result);
    }
    return Objects.requireNonNull(result);
  }

  Expression filter(@Nullable Expression value) {
    int line = tokens.line();
    String name = dottedName();
    if (!BuiltinFilters.isKnown(name)) {
      tokens.addUnsupported(
          new ChatTemplateException("the filter '" + name + "' is not supported", line));
    }
    return new FilterCall(value, name, tokens.atOperator("(") ? arguments() : CallArguments.NONE);
  }

  private Expression test(Expression value) {
    boolean negated = tokens.skipName("not");
    int line = tokens.line();
    String name = dottedName();
    if (!BuiltinTests.isKnown(name)) {
      tokens.addUnsupported(
          new ChatTemplateException("the test '" + name + "' is not supported", line));
    }
    CallArguments arguments = CallArguments.NONE;
    if (tokens.atOperator("(")) {
      arguments = arguments();
    } else if (tokens.atName("is")) {
      throw new ChatTemplateException("tests with 'is' cannot be chained", line);
    } else if (startsTestArgument()) {
      arguments = new CallArguments(List.of(postfix(primary())), Map.of(), null, null);
    }
    Expression tested = new TestCall(value, name, arguments);
    return negated ? new Unary("not", tested) : tested;
  }

  private boolean startsTestArgument() {
    JinjaToken token = tokens.peek();
    return switch (token.kind()) {
      case NAME -> !Set.of("else", "or", "and").contains(token.text());
      case STRING, INTEGER, FLOAT -> true;
      case OPERATOR -> token.text().equals("[") || token.text().equals("{");
      default -> false;
    };
  }

  private String dottedName() {
    StringBuilder name = new StringBuilder(tokens.name());
    while (tokens.skipOperator(".")) {
      name.append('.').append(tokens.name());
    }
    return name.toString();
  }

  CallArguments arguments() {
    tokens.expectOperator("(");
    List<Expression> positional = new ArrayList<>();
    Map<String, Expression> named = new LinkedHashMap<>();
    Expression spreadList = null;
    Expression spreadDict = null;
    while (!tokens.skipOperator(")")) {
      if (tokens.skipOperator("*")) {
        spreadList = expressions.expression();
      } else if (tokens.skipOperator("**")) {
        spreadDict = expressions.expression();
      } else if (tokens.at(Kind.NAME) && tokens.peekNext().is(Kind.OPERATOR, "=")) {
        String name = tokens.name();
        tokens.next();
        named.put(name, expressions.expression());
      } else if (named.isEmpty() && spreadList == null && spreadDict == null) {
        positional.add(expressions.expression());
      } else {
        throw new ChatTemplateException(
            "a positional argument stands after a named one", tokens.line());
      }
      if (!tokens.atOperator(")")) {
        tokens.expectOperator(",");
      }
    }
    return new CallArguments(positional, named, spreadList, spreadDict);
  }
}

package dev.millrace.engine.internal.jinja.parse;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An expression of a template. */
public sealed interface Expression {
  record Constant(Object value) implements Expression {}

  record Name(String name) implements Expression {}

  record ListOf(List<Expression> items) implements Expression {}

  record TupleOf(List<Expression> items) implements Expression {}

  record DictOf(List<Map.Entry<Expression, Expression>> entries) implements Expression {}

  record Attribute(Expression of, String name) implements Expression {}

  record Item(Expression of, Expression key) implements Expression {}

  record Slice(
      Expression of,
      @Nullable Expression start,
      @Nullable Expression stop,
      @Nullable Expression step)
      implements Expression {}

  record Call(Expression callee, CallArguments arguments) implements Expression {}

  /**
   * {@code of | name(arguments)}; in a filter block {@code of} is null, and the body is filtered.
   */
  record FilterCall(@Nullable Expression of, String name, CallArguments arguments)
      implements Expression {}

  record TestCall(Expression of, String name, CallArguments arguments) implements Expression {}

  /** {@code not}, {@code -} or {@code +}. */
  record Unary(String operator, Expression of) implements Expression {}

  record Binary(String operator, Expression left, Expression right) implements Expression {}

  record And(Expression left, Expression right) implements Expression {}

  record Or(Expression left, Expression right) implements Expression {}

  record Concatenation(List<Expression> parts) implements Expression {}

  /**
   * {@code first op right op right ...}: true when every neighbouring pair satisfies its operator.
   */
  record ComparisonChain(Expression first, List<Comparison> rest) implements Expression {}

  record Comparison(String operator, Expression right) {}

  record Conditional(Expression test, Expression then, @Nullable Expression otherwise)
      implements Expression {}

  /** Arguments as written: positional, named, and the spread {@code *list} and {@code **dict}. */
  record CallArguments(
      List<Expression> positional,
      Map<String, Expression> named,
      @Nullable Expression spreadList,
      @Nullable Expression spreadDict) {
    public static final CallArguments NONE = new CallArguments(List.of(), Map.of(), null, null);
  }
}

package dev.millrace.engine.internal.jinja;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.filter.BuiltinFilters;
import dev.millrace.engine.internal.jinja.filter.BuiltinTests;
import dev.millrace.engine.internal.jinja.operation.MemberAccess;
import dev.millrace.engine.internal.jinja.operation.PyArithmetic;
import dev.millrace.engine.internal.jinja.parse.Expression;
import dev.millrace.engine.internal.jinja.parse.Expression.And;
import dev.millrace.engine.internal.jinja.parse.Expression.Attribute;
import dev.millrace.engine.internal.jinja.parse.Expression.Binary;
import dev.millrace.engine.internal.jinja.parse.Expression.Call;
import dev.millrace.engine.internal.jinja.parse.Expression.CallArguments;
import dev.millrace.engine.internal.jinja.parse.Expression.Comparison;
import dev.millrace.engine.internal.jinja.parse.Expression.ComparisonChain;
import dev.millrace.engine.internal.jinja.parse.Expression.Concatenation;
import dev.millrace.engine.internal.jinja.parse.Expression.Conditional;
import dev.millrace.engine.internal.jinja.parse.Expression.Constant;
import dev.millrace.engine.internal.jinja.parse.Expression.DictOf;
import dev.millrace.engine.internal.jinja.parse.Expression.FilterCall;
import dev.millrace.engine.internal.jinja.parse.Expression.Item;
import dev.millrace.engine.internal.jinja.parse.Expression.ListOf;
import dev.millrace.engine.internal.jinja.parse.Expression.Name;
import dev.millrace.engine.internal.jinja.parse.Expression.Or;
import dev.millrace.engine.internal.jinja.parse.Expression.Slice;
import dev.millrace.engine.internal.jinja.parse.Expression.TestCall;
import dev.millrace.engine.internal.jinja.parse.Expression.TupleOf;
import dev.millrace.engine.internal.jinja.parse.Expression.Unary;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyCallable;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evaluates the expressions of one rendering. */
final class ExpressionEvaluator {
  private final RenderBudget budget;
  private final PyArithmetic arithmetic;
  private final MemberAccess members;
  private final BuiltinFilters filters;

  ExpressionEvaluator(RenderBudget budget) {
    this.budget = budget;
    this.arithmetic = new PyArithmetic(budget);
    this.members = new MemberAccess(budget);
    this.filters = new BuiltinFilters(budget, members, arithmetic);
  }

  Object evaluate(Expression expression, VariableScope scope) {
    budget.chargeStep();
    return switch (expression) {
      case Constant constant -> constant.value();
      case Name name -> scope.get(name.name());
      case ListOf list -> values(list.items(), scope);
      case TupleOf tuple -> new Tuple(values(tuple.items(), scope));
      case DictOf dict -> dict(dict, scope);
      case Attribute attribute ->
          members.attribute(evaluate(attribute.of(), scope), attribute.name());
      case Item item -> members.item(evaluate(item.of(), scope), evaluate(item.key(), scope));
      case Slice slice ->
          members.slice(
              evaluate(slice.of(), scope),
              bound(slice.start(), scope),
              bound(slice.stop(), scope),
              bound(slice.step(), scope));
      case Call call ->
          call(evaluate(call.callee(), scope), evaluateArguments(call.arguments(), scope));
      case FilterCall filtered -> filter(filtered, scope);
      case TestCall tested ->
          BuiltinTests.passes(
              tested.name(),
              evaluate(tested.of(), scope),
              evaluateArguments(tested.arguments(), scope),
              budget);
      case Unary unary -> arithmetic.unary(unary.operator(), evaluate(unary.of(), scope));
      case Binary binary ->
          arithmetic.binary(
              binary.operator(), evaluate(binary.left(), scope), evaluate(binary.right(), scope));
      case And and -> {
        Object left = evaluate(and.left(), scope);
        yield PyTypes.isTruthy(left) ? evaluate(and.right(), scope) : left;
      }
      case Or or -> {
        Object left = evaluate(or.left(), scope);
        yield PyTypes.isTruthy(left) ? left : evaluate(or.right(), scope);
      }
      case Concatenation concatenated -> concatenated(concatenated, scope);
      case ComparisonChain compared -> compared(compared, scope);
      case Conditional conditional -> conditional(conditional, scope);
    };
  }

  private List<Object> values(List<Expression> expressions, VariableScope scope) {
    List<Object> values = new ArrayList<>(expressions.size());
    for (Expression expression : expressions) {
      values.add(evaluate(expression, scope));
    }
    return values;
  }

  private Object dict(DictOf dict, VariableScope scope) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (Map.Entry<Expression, Expression> entry : dict.entries()) {
      Object key = evaluate(entry.getKey(), scope);
      map.put(PyTypes.hashableKey(key), evaluate(entry.getValue(), scope));
    }
    return map;
  }

  private Object bound(@Nullable Expression expression, VariableScope scope) {
    return expression == null ? None.NONE : evaluate(expression, scope);
  }

  Object call(Object callee, PyArguments args) {
    return switch (callee) {
      case PyCallable callable -> callable.call(args);
      case Undefined undefined -> throw undefined.toException();
      default ->
          throw new ChatTemplateException(
              "'" + PyTypes.typeName(callee) + "' object is not callable");
    };
  }

  PyArguments evaluateArguments(CallArguments written, VariableScope scope) {
    if (written == CallArguments.NONE) {
      return PyArguments.NONE;
    }
    List<Object> positional = values(written.positional(), scope);
    Map<String, Object> named = new LinkedHashMap<>();
    written.named().forEach((name, expression) -> named.put(name, evaluate(expression, scope)));
    if (written.spreadList() != null) {
      positional.addAll(PyTypes.list(evaluate(written.spreadList(), scope), budget));
    }
    if (written.spreadDict() != null) {
      if (!(evaluate(written.spreadDict(), scope) instanceof Map<?, ?> more)) {
        throw new ChatTemplateException("'**' needs a dict");
      }
      more.forEach((name, value) -> named.put(PyTypes.text(name, "an argument's name"), value));
    }
    return new PyArguments(positional, named);
  }

  /** Applies the filter of a block, if it has one, to the captured text. */
  Object applyBlockFilter(@Nullable Expression filter, PyString text, VariableScope scope) {
    if (!(filter instanceof FilterCall filtered)) {
      return text;
    }
    Object inner = filtered.of() == null ? text : applyBlockFilter(filtered.of(), text, scope);
    return filters.apply(filtered.name(), inner, evaluateArguments(filtered.arguments(), scope));
  }

  private Object filter(FilterCall filtered, VariableScope scope) {
    Expression of = filtered.of();
    if (of == null) {
      throw new IllegalStateException("a block's filter has no value of its own");
    }
    return filters.apply(
        filtered.name(), evaluate(of, scope), evaluateArguments(filtered.arguments(), scope));
  }

  private Object concatenated(Concatenation concatenated, VariableScope scope) {
    PyString.Builder text = new PyString.Builder();
    for (Expression part : concatenated.parts()) {
      PyString piece = PyText.str(evaluate(part, scope));
      budget.chargeAppend(text.length(), piece.length());
      text.append(piece);
    }
    return text.build();
  }

  private Object compared(ComparisonChain compared, VariableScope scope) {
    Object left = evaluate(compared.first(), scope);
    for (Comparison comparison : compared.rest()) {
      Object right = evaluate(comparison.right(), scope);
      if (!Comparisons.holds(comparison.operator(), left, right, budget)) {
        return false;
      }
      left = right;
    }
    return true;
  }

  private Object conditional(Conditional conditional, VariableScope scope) {
    if (PyTypes.isTruthy(evaluate(conditional.test(), scope))) {
      return evaluate(conditional.then(), scope);
    }
    return conditional.otherwise() == null
        ? new Undefined(
            "the inline if-expression evaluated to false and no else section was defined")
        : evaluate(conditional.otherwise(), scope);
  }
}

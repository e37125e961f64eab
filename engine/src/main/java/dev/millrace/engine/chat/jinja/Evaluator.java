package dev.millrace.engine.chat.jinja;

import dev.millrace.engine.chat.jinja.Expression.And;
import dev.millrace.engine.chat.jinja.Expression.Attribute;
import dev.millrace.engine.chat.jinja.Expression.Binary;
import dev.millrace.engine.chat.jinja.Expression.Call;
import dev.millrace.engine.chat.jinja.Expression.CallArguments;
import dev.millrace.engine.chat.jinja.Expression.Compared;
import dev.millrace.engine.chat.jinja.Expression.Comparison;
import dev.millrace.engine.chat.jinja.Expression.Concatenated;
import dev.millrace.engine.chat.jinja.Expression.Conditional;
import dev.millrace.engine.chat.jinja.Expression.Constant;
import dev.millrace.engine.chat.jinja.Expression.DictOf;
import dev.millrace.engine.chat.jinja.Expression.Filtered;
import dev.millrace.engine.chat.jinja.Expression.Item;
import dev.millrace.engine.chat.jinja.Expression.ListOf;
import dev.millrace.engine.chat.jinja.Expression.Name;
import dev.millrace.engine.chat.jinja.Expression.Or;
import dev.millrace.engine.chat.jinja.Expression.Slice;
import dev.millrace.engine.chat.jinja.Expression.Tested;
import dev.millrace.engine.chat.jinja.Expression.TupleOf;
import dev.millrace.engine.chat.jinja.Expression.Unary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evaluates the expressions of one rendering. */
final class Evaluator {
  private final Budget budget;
  private final Arithmetic arithmetic;
  private final Members members;
  private final Filters filters;

  Evaluator(Budget budget) {
    this.budget = budget;
    this.arithmetic = new Arithmetic(budget);
    this.members = new Members(budget);
    this.filters = new Filters(budget, members, arithmetic);
  }

  Object value(Expression expression, Scope scope) {
    budget.step();
    return switch (expression) {
      case Constant constant -> constant.value();
      case Name name -> scope.get(name.name());
      case ListOf list -> values(list.items(), scope);
      case TupleOf tuple -> new Tuple(values(tuple.items(), scope));
      case DictOf dict -> dict(dict, scope);
      case Attribute attribute -> members.attribute(value(attribute.of(), scope), attribute.name());
      case Item item -> members.item(value(item.of(), scope), value(item.key(), scope));
      case Slice slice ->
          members.slice(
              value(slice.of(), scope),
              bound(slice.start(), scope),
              bound(slice.stop(), scope),
              bound(slice.step(), scope));
      case Call call -> call(value(call.callee(), scope), arguments(call.arguments(), scope));
      case Filtered filtered -> filter(filtered, scope);
      case Tested tested ->
          Tests.passes(
              tested.name(),
              value(tested.of(), scope),
              arguments(tested.arguments(), scope),
              budget);
      case Unary unary -> arithmetic.unary(unary.operator(), value(unary.of(), scope));
      case Binary binary ->
          arithmetic.binary(
              binary.operator(), value(binary.left(), scope), value(binary.right(), scope));
      case And and -> {
        Object left = value(and.left(), scope);
        yield Types.truth(left) ? value(and.right(), scope) : left;
      }
      case Or or -> {
        Object left = value(or.left(), scope);
        yield Types.truth(left) ? left : value(or.right(), scope);
      }
      case Concatenated concatenated -> concatenated(concatenated, scope);
      case Compared compared -> compared(compared, scope);
      case Conditional conditional -> conditional(conditional, scope);
    };
  }

  private List<Object> values(List<Expression> expressions, Scope scope) {
    List<Object> values = new ArrayList<>(expressions.size());
    for (Expression expression : expressions) {
      values.add(value(expression, scope));
    }
    return values;
  }

  private Object dict(DictOf dict, Scope scope) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (Map.Entry<Expression, Expression> entry : dict.entries()) {
      Object key = value(entry.getKey(), scope);
      map.put(Members.key(key), value(entry.getValue(), scope));
    }
    return map;
  }

  private Object bound(@Nullable Expression expression, Scope scope) {
    return expression == null ? None.NONE : value(expression, scope);
  }

  Object call(Object callee, Arguments args) {
    return switch (callee) {
      case Callable callable -> callable.call(args);
      case Undefined undefined -> throw undefined.fault();
      default -> throw new TemplateException("'" + Types.name(callee) + "' object is not callable");
    };
  }

  Arguments arguments(CallArguments written, Scope scope) {
    if (written == CallArguments.NONE) {
      return Arguments.NONE;
    }
    List<Object> positional = values(written.positional(), scope);
    Map<String, Object> named = new LinkedHashMap<>();
    written.named().forEach((name, expression) -> named.put(name, value(expression, scope)));
    if (written.spreadList() != null) {
      positional.addAll(Types.list(value(written.spreadList(), scope), budget));
    }
    if (written.spreadDict() != null) {
      if (!(value(written.spreadDict(), scope) instanceof Map<?, ?> more)) {
        throw new TemplateException("'**' needs a dict");
      }
      more.forEach((name, value) -> named.put(Types.text(name, "an argument's name"), value));
    }
    return new Arguments(positional, named);
  }

  /** The text that a block captured, through the block's filter, if it has one. */
  Object filtered(@Nullable Expression filter, String text, Scope scope) {
    if (!(filter instanceof Filtered filtered)) {
      return text;
    }
    Object inner = filtered.of() == null ? text : filtered(filtered.of(), text, scope);
    return filters.apply(filtered.name(), inner, arguments(filtered.arguments(), scope));
  }

  private Object filter(Filtered filtered, Scope scope) {
    Expression of = filtered.of();
    if (of == null) {
      throw new IllegalStateException("a block's filter has no value of its own");
    }
    return filters.apply(filtered.name(), value(of, scope), arguments(filtered.arguments(), scope));
  }

  private Object concatenated(Concatenated concatenated, Scope scope) {
    StringBuilder text = new StringBuilder();
    for (Expression part : concatenated.parts()) {
      String piece = Text.str(value(part, scope));
      budget.grow(text.length(), piece.length());
      text.append(piece);
    }
    return text.toString();
  }

  private Object compared(Compared compared, Scope scope) {
    Object left = value(compared.first(), scope);
    for (Comparison comparison : compared.rest()) {
      Object right = value(comparison.right(), scope);
      if (!Comparisons.holds(comparison.operator(), left, right, budget)) {
        return false;
      }
      left = right;
    }
    return true;
  }

  private Object conditional(Conditional conditional, Scope scope) {
    if (Types.truth(value(conditional.test(), scope))) {
      return value(conditional.then(), scope);
    }
    return conditional.otherwise() == null
        ? new Undefined(
            "the inline if-expression evaluated to false and no else section was defined")
        : value(conditional.otherwise(), scope);
  }
}

package dev.millrace.engine.internal.jinja;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.Strftime;
import dev.millrace.engine.internal.jinja.parse.JinjaParser;
import dev.millrace.engine.internal.jinja.parse.Statement;
import dev.millrace.engine.internal.jinja.value.JinjaLimits;
import dev.millrace.engine.internal.jinja.value.PyCallable;
import dev.millrace.engine.internal.jinja.value.PyRange;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.TemplateNamespace;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A parsed and checked template. It holds no state of a rendering: threads may share it. */
public final class JinjaTemplate {
  private final List<Statement> body;
  private final JinjaLimits limits;

  private JinjaTemplate(List<Statement> body, JinjaLimits limits) {
    this.body = body;
    this.limits = limits;
  }

  /**
   * Parses a template.
   *
   * @throws ChatTemplateException if it is not a template, is too long, or uses what is not
   *     supported
   */
  public static JinjaTemplate parse(String source, JinjaLimits limits) {
    if (source.length() > limits.sourceChars()) {
      throw new ChatTemplateException(
          "it has " + source.length() + " characters; the limit is " + limits.sourceChars());
    }
    try {
      return new JinjaTemplate(JinjaParser.parse(source), limits);
    } catch (StackOverflowError _) {
      throw new ChatTemplateException("it is nested too deep to be read");
    }
  }

  /**
   * Renders the template.
   *
   * @param context the variables, of plain Java objects: null, Boolean, numbers, String, List and
   *     Map with String keys
   * @param now the time of {@code strftime_now}
   * @throws ChatTemplateException if the template rejects the context, fails on it, or exceeds its
   *     limits
   */
  public PyString render(Map<String, ?> context, LocalDateTime now) {
    RenderBudget budget = new RenderBudget(limits);
    Map<String, Object> variables = new HashMap<>();
    context.forEach((name, value) -> variables.put(name, PyTypes.fromJava(value, name, 0)));
    VariableScope scope =
        new VariableScope(
            new VariableScope(new VariableScope(null, globals(now, budget)), variables));
    try {
      return new StatementRenderer(budget).capture(body, scope);
    } catch (StackOverflowError _) {
      // Long chains of operators and deeply nested values can overflow the stack without a call.
      // Nothing outlives a rendering, so nothing is left half done.
      throw new ChatTemplateException("it is nested too deep to be evaluated");
    }
  }

  private static Map<String, Object> globals(LocalDateTime now, RenderBudget budget) {
    PyCallable range = PyRange::of;
    PyCallable namespace = args -> TemplateNamespace.of(args, budget);
    PyCallable dict = args -> TemplateNamespace.of(args, budget).attributes();
    PyCallable raise =
        args -> {
          throw ChatTemplateException.raised(PyText.str(args.required(0, "message")).text());
        };
    PyCallable strftime = args -> Strftime.format(PyText.str(args.required(0, "format")), now);
    return Map.of(
        "range",
        range,
        "namespace",
        namespace,
        "dict",
        dict,
        "raise_exception",
        raise,
        "strftime_now",
        strftime);
  }
}

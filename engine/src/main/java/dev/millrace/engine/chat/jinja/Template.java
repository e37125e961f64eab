package dev.millrace.engine.chat.jinja;

import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A template, read and checked. It holds no state of a rendering: threads may share it. */
public final class Template {
  private final List<Statement> body;
  private final Limits limits;

  private Template(List<Statement> body, Limits limits) {
    this.body = body;
    this.limits = limits;
  }

  /**
   * Reads a template.
   *
   * @throws TemplateException if it is no template, is too long, or uses what is not supported
   */
  public static Template parse(String source, Limits limits) {
    if (source.length() > limits.sourceChars()) {
      throw new TemplateException(
          "it has " + source.length() + " characters; the limit is " + limits.sourceChars());
    }
    try {
      return new Template(Parser.parse(source), limits);
    } catch (StackOverflowError _) {
      throw new TemplateException("it is nested too deep to be read");
    }
  }

  /**
   * Renders the template.
   *
   * @param context the variables, of plain Java objects: null, Boolean, numbers, String, List and
   *     Map with String keys
   * @param now what {@code strftime_now} tells
   * @throws TemplateException if the template refuses the context, fails on it, or exceeds its
   *     limits
   */
  public String render(Map<String, ?> context, LocalDateTime now) {
    Budget budget = new Budget(limits);
    Map<String, Object> variables = new HashMap<>();
    context.forEach((name, value) -> variables.put(name, Types.of(value, name, 0)));
    Scope scope = new Scope(new Scope(new Scope(null, globals(now, budget)), variables));
    try {
      return new Renderer(budget).capture(body, scope);
    } catch (StackOverflowError _) {
      // Long chains of operators and values built ever deeper nest without a call. Nothing outlives
      // a rendering, so nothing is left half done.
      throw new TemplateException("it is nested too deep to be evaluated");
    }
  }

  private static Map<String, Object> globals(LocalDateTime now, Budget budget) {
    Callable range = Range::of;
    Callable namespace = args -> Namespace.of(args, budget);
    Callable dict = args -> Namespace.of(args, budget).attributes();
    Callable raise =
        args -> {
          throw TemplateException.raised(Text.str(args.required(0, "message")));
        };
    Callable strftime = args -> Strftime.format(Text.str(args.required(0, "format")), now);
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

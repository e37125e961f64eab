package dev.millrace.engine.internal.toolcall;

import static dev.millrace.engine.internal.toolcall.CallLayout.spaced;

import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.toolcall.CallLayout.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The known formats. */
public final class CallSyntaxCatalog {
  private static final Supplier<CallStep> BLANKS = CallStep::blanks;
  private static final Supplier<CallStep> NAME = CallStep::name;
  private static final Supplier<CallStep> CALL = CallObjectStep::new;
  private static final Supplier<CallStep> ARGUMENTS = ArgumentsStep::new;
  private static final Grammar ID = Grammar.gbnf("root ::= [a-zA-Z0-9]{9}");
  private static final String BEFORE_NAME = "{\"name\": \"";
  private static final String BEFORE_ARGUMENTS = "\", \"arguments\": ";
  private static final String BEFORE_PARAMETERS = "\", \"parameters\": ";
  private static final List<String> OBJECT_TRIGGERS =
      List.of("{\"name\": \"%s\"", "{\"name\":\"%s\"");

  private static final String CALLS_BEGIN = "<｜tool▁calls▁begin｜>";
  private static final String CALL_BEGIN = "<｜tool▁call▁begin｜>";
  private static final String SEPARATOR = "<｜tool▁sep｜>";
  private static final String CALL_END = "<｜tool▁call▁end｜>";
  private static final String CALLS_END = "<｜tool▁calls▁end｜>";

  private CallSyntaxCatalog() {}

  private static Supplier<CallStep> text(String text) {
    return () -> CallStep.text(text);
  }

  public static CallSyntax llama3() {
    return new CallSyntax(
        List.of(
            CallOpening.single("{", List.of(CallObjectStep::opened), ";"),
            CallOpening.single("<|python_tag|>", List.of(BLANKS, CALL), ";"),
            CallOpening.single(
                "<|python_tag|>", List.of(BLANKS, () -> new PythonCallStep(".call")))),
        List.of(CallLayout.of("", BEFORE_NAME, BEFORE_PARAMETERS, "}", null, "")),
        OBJECT_TRIGGERS,
        List.of("<|python_tag|>"),
        false);
  }

  public static CallSyntax hermes() {
    return new CallSyntax(
        List.of(
            CallOpening.single("<tool_call>", List.of(BLANKS, CALL), "</tool_call>"),
            CallOpening.list("<tool_call>[", "]", "</tool_call>"),
            CallOpening.list("<tool_call>\n[", "]", "</tool_call>")),
        List.of(
            CallLayout.of(
                "", "<tool_call>\n" + BEFORE_NAME, BEFORE_ARGUMENTS, "}\n</tool_call>", "\n", "")),
        List.of("<tool_call>"),
        List.of("<tool_call>", "</tool_call>"),
        false);
  }

  public static CallSyntax qwen3Coder() {
    List<Supplier<CallStep>> call = List.of(NAME, text(">"), TagArgumentsStep::new);
    List<Supplier<CallStep>> wrapped = new ArrayList<>(List.of(BLANKS, text("<function=")));
    wrapped.addAll(call);
    String end = TagArgumentsStep.END + "\n</tool_call>";
    CallLayout layout = CallLayout.of("", "<tool_call>\n<function=", ">\n", end, "\n", "");
    CallLayout bare = CallLayout.of("", "<function=", ">\n", end, null, "").withUse(Use.LAZY);
    return new CallSyntax(
        List.of(
            CallOpening.single("<tool_call>", wrapped, "</tool_call>"),
            CallOpening.single("<function=", call, "</tool_call>"),
            CallOpening.single("<tool_call>", List.of(BLANKS, CALL), "</tool_call>")),
        List.of(layout, bare),
        List.of("<tool_call>", "<function="),
        List.of("<tool_call>", "</tool_call>"),
        true);
  }

  public static CallSyntax mistralNemo() {
    Grammar id = Grammar.sequence(List.of(spaced(", \"id\": \""), ID, Grammar.text("\"")));
    CallLayout layout =
        CallLayout.of("[TOOL_CALLS][", BEFORE_NAME, BEFORE_ARGUMENTS, "}", ", ", "]")
            .withAfterArguments(Grammar.sequence(List.of(id.optional(), Grammar.text("}"))));
    return new CallSyntax(
        List.of(CallOpening.list("[TOOL_CALLS][", "]"), CallOpening.list("[TOOL_CALLS] [", "]")),
        List.of(layout),
        List.of("[TOOL_CALLS]"),
        List.of("[TOOL_CALLS]"),
        false);
  }

  public static CallSyntax mistralSmall() {
    Grammar id = Grammar.sequence(List.of(Grammar.text("[CALL_ID]"), ID)).optional();
    CallLayout layout =
        CallLayout.of("", "[TOOL_CALLS]", "[ARGS]", "", "", "")
            .withBeforeArguments(Grammar.sequence(List.of(id, Grammar.text("[ARGS]"))));
    return new CallSyntax(
        List.of(
            CallOpening.single(
                "[TOOL_CALLS]", List.of(BLANKS, NAME, text("[ARGS]"), BLANKS, ARGUMENTS)),
            CallOpening.single(
                "[TOOL_CALLS]",
                List.of(
                    BLANKS,
                    NAME,
                    text("[CALL_ID]"),
                    CallStep::id,
                    text("[ARGS]"),
                    BLANKS,
                    ARGUMENTS)),
            CallOpening.list("[TOOL_CALLS][", "]")),
        List.of(layout),
        List.of("[TOOL_CALLS]"),
        List.of("[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"),
        false);
  }

  public static CallSyntax deepSeekR1() {
    String begin = CALL_BEGIN + "function" + SEPARATOR;
    return deepSeek(
        begin,
        List.of(NAME, BLANKS, text("```json"), BLANKS, ARGUMENTS),
        List.of("```", CALL_END, CALLS_END),
        CallLayout.of(CALLS_BEGIN, begin, "\n```json\n", "\n```" + CALL_END, "\n", CALLS_END));
  }

  public static CallSyntax deepSeekV31() {
    return deepSeek(
        CALL_BEGIN,
        List.of(NAME, text(SEPARATOR), BLANKS, ARGUMENTS),
        List.of(CALL_END, CALLS_END),
        CallLayout.of(CALLS_BEGIN, CALL_BEGIN, SEPARATOR, CALL_END, "", CALLS_END));
  }

  private static CallSyntax deepSeek(
      String begin, List<Supplier<CallStep>> call, List<String> closers, CallLayout layout) {
    List<Supplier<CallStep>> next = new ArrayList<>(List.of(text(begin)));
    next.addAll(call);
    List<Supplier<CallStep>> first = new ArrayList<>(List.of(BLANKS));
    first.addAll(next);
    return new CallSyntax(
        List.of(
            new CallOpening(CALLS_BEGIN, first, next, closers),
            new CallOpening(begin, call, List.of(), closers)),
        List.of(layout),
        List.of(CALLS_BEGIN),
        List.of(CALLS_BEGIN, CALL_BEGIN, SEPARATOR, CALL_END, CALLS_END),
        false);
  }

  public static CallSyntax functionary() {
    return new CallSyntax(
        List.of(
            CallOpening.single(
                "<function=", List.of(NAME, text(">"), BLANKS, ARGUMENTS), "</function>")),
        List.of(CallLayout.of("", "<function=", ">", "</function>", "", "")),
        List.of("<function="),
        List.of(),
        false);
  }

  public static CallSyntax phi4Mini() {
    return new CallSyntax(
        List.of(
            CallOpening.list("functools[", "]"),
            CallOpening.list("<|tool_call|>[", "]", "<|/tool_call|>")),
        List.of(CallLayout.of("functools[", BEFORE_NAME, BEFORE_ARGUMENTS, "}", ", ", "]")),
        List.of("functools["),
        List.of("<|tool_call|>", "<|/tool_call|>"),
        false);
  }

  public static CallSyntax gemma() {
    List<CallOpening> openings = new ArrayList<>(objectOpenings());
    openings.add(
        CallOpening.single("```tool_code", List.of(BLANKS, () -> new PythonCallStep("")), "```"));
    return new CallSyntax(
        openings, objectLayouts(BEFORE_PARAMETERS, "[", "]"), OBJECT_TRIGGERS, List.of(), false);
  }

  public static CallSyntax generic() {
    List<String> triggers = new ArrayList<>(OBJECT_TRIGGERS);
    triggers.add("{\"tool_calls\"");
    return new CallSyntax(
        objectOpenings(),
        objectLayouts(BEFORE_ARGUMENTS, "{\"tool_calls\": [", "]}"),
        triggers,
        List.of(),
        false);
  }

  /** Bare objects, lists of them, and either in a fenced block. */
  private static List<CallOpening> objectOpenings() {
    List<CallOpening> openings = new ArrayList<>();
    openings.add(CallOpening.single("{", List.of(CallObjectStep::opened)));
    openings.add(CallOpening.list("[", "]"));
    List<Supplier<CallStep>> comma = CallOpening.list("[").next();
    openings.add(
        new CallOpening(
            "{\"tool_calls\"",
            List.of(BLANKS, text(":"), BLANKS, text("["), BLANKS, CALL),
            comma,
            List.of("]", "}")));
    for (String fence : List.of("```json", "```tool_code", "```tool_call", "```")) {
      openings.add(CallOpening.single(fence, List.of(BLANKS, CALL), "```"));
      openings.add(
          new CallOpening(
              fence, List.of(BLANKS, text("["), BLANKS, CALL), comma, List.of("]", "```")));
    }
    return openings;
  }

  private static List<CallLayout> objectLayouts(String beforeArguments, String begin, String end) {
    return List.of(
        CallLayout.of("", BEFORE_NAME, beforeArguments, "}", null, ""),
        CallLayout.of(begin, BEFORE_NAME, beforeArguments, "}", ", ", end).withUse(Use.PARALLEL));
  }
}

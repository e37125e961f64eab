package dev.millrace.engine.internal.toolcall;

import java.util.List;
import java.util.Map;

/**
 * One format of calls, as data.
 *
 * @param openings how calls begin, for the reader
 * @param layouts how the grammar writes them
 * @param triggers texts that begin a call; {@code %s} in one stands for the name of each tool
 * @param shownTexts markers that may be control tokens
 * @param tags whether arguments are written as tags and not as JSON
 */
public record CallSyntax(
    List<CallOpening> openings,
    List<CallLayout> layouts,
    List<String> triggers,
    List<String> shownTexts,
    boolean tags) {
  public CallSyntax {
    openings = List.copyOf(openings);
    layouts = List.copyOf(layouts);
    triggers = List.copyOf(triggers);
    shownTexts = List.copyOf(shownTexts);
  }

  /**
   * The text of calls.
   *
   * @param calls the arguments of each by name, as JSON
   */
  public String write(List<Map.Entry<String, Map<String, String>>> calls) {
    List<CallText.WrittenCall> written =
        calls.stream()
            .map(
                call ->
                    new CallText.WrittenCall(
                        call.getKey(),
                        tags ? CallText.tags(call.getValue()) : CallText.json(call.getValue())))
            .toList();
    return layouts.stream()
        .filter(layout -> layout.writes(written.size()))
        .findFirst()
        .map(layout -> layout.text().write(written))
        .orElseGet(() -> String.join("\n", eachAlone(written)));
  }

  /** Several calls of a format that has only single ones. */
  private List<String> eachAlone(List<CallText.WrittenCall> calls) {
    CallText text = layouts.getFirst().text();
    return calls.stream().map(call -> text.write(List.of(call))).toList();
  }

  /** The triggers for tools of these names. */
  public List<String> triggers(List<String> names) {
    return triggers.stream()
        .flatMap(
            trigger ->
                trigger.contains("%s")
                    ? names.stream().map(trigger::formatted)
                    : java.util.stream.Stream.of(trigger))
        .distinct()
        .toList();
  }
}

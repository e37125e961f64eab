package dev.millrace.engine.internal.toolcall;

import java.util.List;

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

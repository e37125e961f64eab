package dev.millrace.engine.internal.toolcall;

import java.util.List;
import java.util.function.Supplier;

/**
 * One way in which calls begin.
 *
 * @param start the text that it begins with
 * @param steps what follows the start, to the end of the first call
 * @param next what follows a call, white space apart, to the end of a further one; empty if there
 *     is none
 * @param closers texts that are dropped after a call
 */
record CallOpening(
    String start,
    List<Supplier<CallStep>> steps,
    List<Supplier<CallStep>> next,
    List<String> closers) {
  static CallOpening single(String start, List<Supplier<CallStep>> steps, String... closers) {
    return new CallOpening(start, steps, List.of(), List.of(closers));
  }

  /** Calls as a list of objects, separated by commas. */
  static CallOpening list(String start, String... closers) {
    return new CallOpening(
        start,
        List.of(CallStep::blanks, CallObjectStep::new),
        List.of(() -> CallStep.text(","), CallStep::blanks, CallObjectStep::new),
        List.of(closers));
  }

  List<CallStep> newSteps() {
    return java.util.stream.Stream.concat(
            java.util.stream.Stream.of(CallStep.text(start)), steps.stream().map(Supplier::get))
        .toList();
  }

  List<CallStep> nextSteps() {
    return next.stream().map(Supplier::get).toList();
  }
}

package dev.millrace.engine.toolcall;

import dev.millrace.engine.grammar.StrictJsonReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Parts of an output, joined: one line for each run of thoughts or text, and for each complete call.
 */
final class JoinedParts {
  private final List<String> lines = new ArrayList<>();
  private final StringBuilder run = new StringBuilder();
  private String kind = "";
  private int calls;
  private boolean inCall;

  static List<String> of(AssistantOutputParser parser, List<String> pieces, boolean cut) {
    JoinedParts joined = new JoinedParts();
    pieces.forEach(piece -> parser.feed(piece).forEach(joined::add));
    parser.end(cut).forEach(joined::add);
    joined.dropOpenCall();
    joined.flush();
    return joined.lines;
  }

  /** The order of parts: calls are numbered and not interrupted, and no part is empty. */
  private void check(boolean holds) {
    if (!holds) {
      throw new AssertionError("parts are out of order after " + lines + kind + run);
    }
  }

  private void add(OutputPart part) {
    switch (part) {
      case OutputPart.Thought thought -> append("thought", thought.text());
      case OutputPart.Text text -> append("text", text.text());
      case OutputPart.CallBegan began -> {
        dropOpenCall();
        check(began.index() == calls++);
        inCall = true;
        append("call " + began.name(), "");
      }
      case OutputPart.CallArguments arguments -> {
        check(inCall);
        check(arguments.index() == calls - 1);
        check(!arguments.json().isEmpty());
        run.append(arguments.json());
      }
      case OutputPart.CallEnded ended -> {
        check(inCall);
        check(ended.index() == calls - 1);
        inCall = false;
        check(StrictJsonReader.read(run.toString()) instanceof Map);
        flush();
      }
    }
  }

  private void append(String what, String text) {
    if (!what.equals("thought") && !what.equals("text")) {
      flush();
    } else {
      check(!text.isEmpty());
      dropOpenCall();
      if (!what.equals(kind)) {
        flush();
      }
    }
    kind = what;
    run.append(text);
  }

  private void dropOpenCall() {
    if (inCall) {
      inCall = false;
      kind = "";
      run.setLength(0);
    }
  }

  private void flush() {
    if (!kind.isEmpty()) {
      String text = run.toString();
      lines.add(kind + " " + (kind.startsWith("call") ? oneLine(text) : quoted(text)));
    }
    kind = "";
    run.setLength(0);
  }

  private static String oneLine(String text) {
    return text.replace("\n", "\\n");
  }

  private static String quoted(String text) {
    return "\"" + oneLine(text.replace("\\", "\\\\").replace("\"", "\\\"")) + "\"";
  }
}

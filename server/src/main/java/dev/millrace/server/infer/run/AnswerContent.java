package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.engine.toolcall.OutputFormat;
import dev.millrace.engine.toolcall.OutputPart;
import java.util.ArrayList;
import java.util.List;

/**
 * An output as it is meant: its thoughts, its text and its calls.
 *
 * @param calls those that are complete, with their arguments as JSON
 */
public record AnswerContent(String thoughts, String text, List<AnswerCall> calls) {
  /** A call of a tool. */
  public record AnswerCall(String name, String arguments) {}

  /** Reads a whole output. */
  public static AnswerContent of(OutputFormat format, GenerationResult result) {
    AssistantOutputParser parser = new AssistantOutputParser(format);
    List<OutputPart> parts = new ArrayList<>(parser.feed(result.text()));
    parts.addAll(parser.end(isCut(result)));
    StringBuilder thoughts = new StringBuilder();
    StringBuilder text = new StringBuilder();
    List<AnswerCall> calls = new ArrayList<>();
    String called = "";
    StringBuilder arguments = new StringBuilder();
    for (OutputPart part : parts) {
      switch (part) {
        case OutputPart.Thought(String more) -> thoughts.append(more);
        case OutputPart.Text(String more) -> text.append(more);
        case OutputPart.CallBegan(int _, String name) -> {
          called = name;
          arguments.setLength(0);
        }
        case OutputPart.CallArguments(int _, String json) -> arguments.append(json);
        case OutputPart.CallEnded _ -> calls.add(new AnswerCall(called, arguments.toString()));
      }
    }
    return new AnswerContent(thoughts.toString(), text.toString(), List.copyOf(calls));
  }

  /** Whether an output ended before the model was done with it; a stop text ends a text. */
  public static boolean isCut(GenerationResult result) {
    return result.finish() != FinishReason.STOP;
  }

  /** The calls in the form of a receipt. */
  public List<Object> callsJson() {
    List<Object> all = new ArrayList<>();
    for (AnswerCall call : calls) {
      all.add(JsonObject.create().put("name", call.name).put("arguments", call.arguments).values());
    }
    return all;
  }
}

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
 * @param calls with their arguments as JSON
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
    List<String> names = new ArrayList<>();
    List<StringBuilder> arguments = new ArrayList<>();
    for (OutputPart part : parts) {
      switch (part) {
        case OutputPart.Thought(String more) -> thoughts.append(more);
        case OutputPart.Text(String more) -> text.append(more);
        case OutputPart.CallBegan(int _, String name) -> {
          names.add(name);
          arguments.add(new StringBuilder());
        }
        case OutputPart.CallArguments(int index, String json) -> arguments.get(index).append(json);
        case OutputPart.CallEnded _ -> {}
      }
    }
    List<AnswerCall> calls = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      calls.add(new AnswerCall(names.get(i), arguments.get(i).toString()));
    }
    return new AnswerContent(thoughts.toString(), text.toString(), List.copyOf(calls));
  }

  /** Whether an output ended before the model was done with it. */
  public static boolean isCut(GenerationResult result) {
    return result.finish() != FinishReason.STOP || result.stop() != null;
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

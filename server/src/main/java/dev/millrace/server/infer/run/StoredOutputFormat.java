package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.engine.toolcall.OutputFormat;
import dev.millrace.engine.toolcall.ToolCallFormat;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.ToolUse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How stored output is to be read, without its model: from the frozen terms of a task while it runs,
 * or from the receipt of its result, if it was asked to record its pieces.
 */
public final class StoredOutputFormat {
  private StoredOutputFormat() {}

  /**
   * A parser for the whole output of a task.
   *
   * @param termsOrReceipt of the task
   * @param data the parameters that the task was submitted with, tools included
   */
  public static AssistantOutputParser parser(JsonObject termsOrReceipt, JsonObject data) {
    return new AssistantOutputParser(of(termsOrReceipt, data));
  }

  /** The same as {@link ResolvedTask#outputFormat} of the task that ran. */
  public static OutputFormat of(JsonObject termsOrReceipt, JsonObject data) {
    ReasoningSplitter.Tags tags = tags(termsOrReceipt);
    boolean opened = termsOrReceipt.flag("thoughts_opened", false);
    JsonObject parameters = termsOrReceipt.object("parameters");
    OutputFormat withoutCalls = new OutputFormat(tags, opened, null, List.of());
    if (!parameters.has("tool_format")) {
      return withoutCalls;
    }
    GenerateParameters asked = GenerateParameters.of(data, null);
    String format = parameters.string("tool_format");
    ToolUse use = asked.tools().use(ToolCallFormat.named(format).orElseThrow());
    return use == null
        ? withoutCalls
        : use.readWith(tags, opened, asked.output().constraint() != null);
  }

  private static ReasoningSplitter.@Nullable Tags tags(JsonObject termsOrReceipt) {
    if (!termsOrReceipt.has("thought_tags") || !termsOrReceipt.has("thoughts_opened")) {
      return null;
    }
    String[] both = termsOrReceipt.string("thought_tags").split(" ", 2);
    return new ReasoningSplitter.Tags(both[0], both[1]);
  }
}

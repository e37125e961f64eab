package dev.millrace.server.infer.parameters;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.toolcall.OutputFormat;
import dev.millrace.engine.toolcall.Tool;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls that an output may have.
 *
 * @param tools those that may be called, at least one
 * @param required whether the output must be a call
 * @param parallel whether it may be several
 */
public record ToolUse(ToolCallFormat format, List<Tool> tools, boolean required, boolean parallel) {
  public ToolUse {
    tools = List.copyOf(tools);
  }

  /**
   * How an output with these calls is to be read.
   *
   * @param covered whether a grammar covers the whole answer
   */
  public OutputFormat readWith(
      ReasoningSplitter.@Nullable Tags thoughtTags, boolean thoughtsOpened, boolean covered) {
    OutputFormat read = new OutputFormat(thoughtTags, thoughtsOpened, format, tools);
    if (required) {
      return read.withCallsOnly();
    }
    return covered || isTriggeredForSure() ? read.withConstrainedCalls() : read;
  }

  /** A bare object can begin in ways that no trigger matches; a marker cannot. */
  private boolean isTriggeredForSure() {
    return format.triggers(tools).stream().noneMatch(trigger -> trigger.contains("{"));
  }

  /** Adds what another attempt needs to know; the tools by their hash, since the job has them. */
  void addTo(JsonObject json) {
    json.put("tool_choice", required ? "required" : "auto")
        .put("tool_format", format.id())
        .put("tools_sha256", Sha256.hexOf(toolsJson()));
    if (!parallel) {
      json.put("parallel_tool_calls", false);
    }
  }

  private String toolsJson() {
    List<Object> all = new ArrayList<>();
    for (Tool tool : tools) {
      all.add(
          JsonObject.create()
              .put("name", tool.name())
              .put("parameters", tool.parameters())
              .put("strict", tool.strict())
              .values());
    }
    return Json.write(all);
  }
}

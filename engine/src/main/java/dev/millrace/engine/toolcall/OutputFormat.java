package dev.millrace.engine.toolcall;

import dev.millrace.engine.chat.ReasoningSplitter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the output of a model is to be read.
 *
 * @param thoughtTags null: the output has no thoughts apart from its text
 * @param thoughtsOpened whether the prompt has opened the thoughts already
 * @param calls null: no calls are parsed
 * @param tools the tools on offer; a call of any other name is text
 * @param callsConstrained whether a {@link ToolCallGrammar} holds, from the beginning or from a
 *     trigger on: arguments of calls behind a trigger are then given as they arrive. Any other call
 *     is held back until it is complete, as a text that breaks off or is not valid is no call.
 * @param callsOnly whether an answer is nothing but calls: what is left undecided where the output
 *     was cut is then the beginning of one, never text
 */
public record OutputFormat(
    ReasoningSplitter.@Nullable Tags thoughtTags,
    boolean thoughtsOpened,
    @Nullable ToolCallFormat calls,
    List<Tool> tools,
    boolean callsConstrained,
    boolean callsOnly) {
  public OutputFormat {
    tools = List.copyOf(tools);
  }

  /** Calls are not constrained. */
  public OutputFormat(
      ReasoningSplitter.@Nullable Tags thoughtTags,
      boolean thoughtsOpened,
      @Nullable ToolCallFormat calls,
      List<Tool> tools) {
    this(thoughtTags, thoughtsOpened, calls, tools, false, false);
  }

  /** The same with {@code callsConstrained}. */
  public OutputFormat withConstrainedCalls() {
    return new OutputFormat(thoughtTags, thoughtsOpened, calls, tools, true, false);
  }

  /** The same with {@code callsConstrained} and {@code callsOnly}. */
  public OutputFormat withCallsOnly() {
    return new OutputFormat(thoughtTags, thoughtsOpened, calls, tools, true, true);
  }
}

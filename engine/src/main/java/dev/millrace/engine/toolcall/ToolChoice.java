package dev.millrace.engine.toolcall;

import java.util.List;

/** Whether a model may, must or must not call tools. */
public sealed interface ToolChoice {
  /** No calls; tools may still be shown to the model. */
  record None() implements ToolChoice {}

  /** The model decides. */
  record Auto() implements ToolChoice {}

  /**
   * At least one call.
   *
   * @param names the tools that may be called; empty: any
   */
  record Required(List<String> names) implements ToolChoice {
    public Required {
      names = List.copyOf(names);
    }
  }
}

package dev.millrace.engine.toolcall;

import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.internal.toolcall.ArgumentTypes;
import dev.millrace.engine.internal.toolcall.CallFinder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses the output of a model, piece by piece, into thoughts, text and calls. What is not decided
 * yet is held back. The parts, joined, do not depend on how the output was cut into pieces. For one
 * output and one thread.
 *
 * <p>A call counts if its tool is on offer and its arguments are a JSON object; anything else is
 * text. Control characters in strings, which models write and JSON forbids, are escaped. White
 * space around calls is dropped.
 */
public final class AssistantOutputParser {
  private final @Nullable ReasoningSplitter thoughts;
  private final @Nullable CallFinder finder;
  private final boolean callsOnly;
  private final Parts parts = new Parts();

  public AssistantOutputParser(OutputFormat format) {
    callsOnly = format.callsOnly();
    ReasoningSplitter.Tags tags = format.thoughtTags();
    thoughts = tags == null ? null : new ReasoningSplitter(tags, format.thoughtsOpened());
    ToolCallFormat calls = format.calls();
    if (calls == null || format.tools().isEmpty()) {
      finder = null;
      return;
    }
    Map<String, ArgumentTypes> tools = new HashMap<>();
    format.tools().forEach(it -> tools.put(it.name(), new ArgumentTypes(it.parameters())));
    finder = new CallFinder(calls.syntax(), tools, format.callsConstrained(), parts);
  }

  /** Takes the next piece of the output. */
  public List<OutputPart> feed(String piece) {
    if (thoughts == null) {
      answer(piece);
    } else {
      split(thoughts.feed(piece));
    }
    return parts.take();
  }

  /**
   * The parts that were held back.
   *
   * @param cut whether the output ended before the model was done: a call that has begun and was
   *     held back is then left out; otherwise it is text
   */
  public List<OutputPart> end(boolean cut) {
    if (thoughts != null) {
      split(thoughts.end());
    }
    if (finder != null && !(cut && callsOnly)) {
      finder.end(cut);
    }
    return parts.take();
  }

  private void split(ReasoningSplitter.Parts split) {
    if (!split.reasoning().isEmpty()) {
      parts.list.add(new OutputPart.Thought(split.reasoning()));
    }
    answer(split.answer());
  }

  private void answer(String text) {
    if (finder == null) {
      parts.text(text);
    } else {
      finder.feed(text);
    }
  }

  /** Collects parts; neighboring texts are one. */
  private static final class Parts implements CallFinder.Listener {
    private final List<OutputPart> list = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private int calls;

    List<OutputPart> take() {
      flush();
      List<OutputPart> taken = List.copyOf(list);
      list.clear();
      return taken;
    }

    private void flush() {
      if (!text.isEmpty()) {
        list.add(new OutputPart.Text(text.toString()));
        text.setLength(0);
      }
    }

    @Override
    public void text(String more) {
      text.append(more);
    }

    @Override
    public void callBegan(String name) {
      flush();
      list.add(new OutputPart.CallBegan(calls++, name));
    }

    @Override
    public void callArguments(String json) {
      int last = list.size() - 1;
      if (last >= 0
          && list.get(last) instanceof OutputPart.CallArguments(int index, String before)
          && index == calls - 1) {
        list.set(last, new OutputPart.CallArguments(index, before + json));
      } else {
        list.add(new OutputPart.CallArguments(calls - 1, json));
      }
    }

    @Override
    public void callEnded() {
      list.add(new OutputPart.CallEnded(calls - 1));
    }
  }
}

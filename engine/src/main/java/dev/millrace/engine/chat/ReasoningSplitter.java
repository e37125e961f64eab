package dev.millrace.engine.chat;

import java.util.List;

/**
 * Separates a model's reasoning from its answer, piece by piece as the text arrives. The reasoning
 * is at the beginning of the output, after white space at most, or the prompt has opened it; an
 * opening tag anywhere later is part of the answer. White space around the reasoning, and between
 * it and the answer, is dropped; an output without reasoning is unchanged. For one output and one
 * thread.
 */
public final class ReasoningSplitter {
  /** The tags that open and close the reasoning. */
  public record Tags(String open, String close) {
    public static final Tags THINK = new Tags("<think>", "</think>");

    /**
     * The known tags, the most specific first; gpt-oss separates its analysis from the answer by a
     * change of channel.
     */
    private static final List<Tags> KNOWN =
        List.of(
            new Tags(
                "<|channel|>analysis<|message|>",
                "<|end|><|start|>assistant<|channel|>final<|message|>"),
            new Tags("<|START_THINKING|>", "<|END_THINKING|>"),
            new Tags("<seed:think>", "</seed:think>"),
            new Tags("[THINK]", "[/THINK]"),
            THINK,
            new Tags("<thinking>", "</thinking>"));

    public Tags {
      if (open.isBlank() || close.isBlank()) {
        throw new IllegalArgumentException("reasoning tags must not be blank");
      }
    }

    /** The tags that a template mentions; {@link #THINK} if it mentions none. */
    public static Tags usedBy(String template) {
      return KNOWN.stream().filter(tags -> template.contains(tags.open)).findFirst().orElse(THINK);
    }
  }

  /** What a piece of output adds to the reasoning and to the answer; both may be empty. */
  public record Parts(String reasoning, String answer) {}

  private enum State {
    UNDECIDED,
    BEFORE_THOUGHTS,
    THINKING,
    BEFORE_ANSWER,
    ANSWERING
  }

  private final Tags tags;
  private final StringBuilder pending = new StringBuilder();
  private State state;

  /** Splits an output; {@code opened} says that the prompt has opened the reasoning. */
  public ReasoningSplitter(Tags tags, boolean opened) {
    this.tags = tags;
    this.state = opened ? State.BEFORE_THOUGHTS : State.UNDECIDED;
  }

  /**
   * Splits the output after a prompt. A prompt that ends with the opening tag, apart from white
   * space, has opened the reasoning.
   */
  public static ReasoningSplitter afterPrompt(String prompt, Tags tags) {
    return new ReasoningSplitter(tags, prompt.stripTrailing().endsWith(tags.open.strip()));
  }

  /**
   * Takes the next piece of output, cut anywhere. Text that could be part of a tag is held back
   * until it is certain.
   */
  public Parts feed(String piece) {
    pending.append(piece);
    StringBuilder thoughts = new StringBuilder();
    StringBuilder answer = new StringBuilder();
    while (step(thoughts, answer)) {}
    return new Parts(thoughts.toString(), answer.toString());
  }

  /**
   * The text that was held back at the end of the output. Reasoning that was never closed is all
   * reasoning.
   */
  public Parts end() {
    String rest = pending.toString();
    pending.setLength(0);
    return switch (state) {
      case UNDECIDED -> new Parts("", rest);
      case BEFORE_THOUGHTS -> new Parts(rest.strip(), "");
      case THINKING -> new Parts(rest.stripTrailing(), "");
      case BEFORE_ANSWER, ANSWERING -> new Parts("", rest.stripLeading());
    };
  }

  /** Whether the output so far has opened the reasoning and not closed it. */
  public boolean isThinking() {
    return state == State.BEFORE_THOUGHTS || state == State.THINKING;
  }

  /** Advances as far as the text allows; false if more text is needed. */
  private boolean step(StringBuilder thoughts, StringBuilder answer) {
    return switch (state) {
      case UNDECIDED -> decide();
      case BEFORE_THOUGHTS -> skipBlanks(State.THINKING);
      case THINKING -> think(thoughts);
      case BEFORE_ANSWER -> skipBlanks(State.ANSWERING);
      case ANSWERING -> {
        answer.append(pending);
        pending.setLength(0);
        yield false;
      }
    };
  }

  private boolean decide() {
    int start = blanks();
    String text = pending.substring(start);
    if (text.startsWith(tags.open)) {
      pending.delete(0, start + tags.open.length());
      state = State.BEFORE_THOUGHTS;
      return true;
    }
    if (tags.open.startsWith(text)) {
      return false;
    }
    state = State.ANSWERING;
    return true;
  }

  private boolean skipBlanks(State then) {
    pending.delete(0, blanks());
    if (pending.isEmpty()) {
      return false;
    }
    state = then;
    return true;
  }

  private boolean think(StringBuilder thoughts) {
    int close = pending.indexOf(tags.close);
    if (close >= 0) {
      thoughts.append(pending.substring(0, close).stripTrailing());
      pending.delete(0, close + tags.close.length());
      state = State.BEFORE_ANSWER;
      return true;
    }
    int sure = pending.length() - beginningOfClose();
    while (sure > 0 && Character.isWhitespace(pending.charAt(sure - 1))) {
      sure--; // white space before the tag is dropped, so it is held back with it
    }
    thoughts.append(pending, 0, sure);
    pending.delete(0, sure);
    return false;
  }

  /** How many characters at the end could be the beginning of the closing tag. */
  private int beginningOfClose() {
    for (int n = Math.min(pending.length(), tags.close.length() - 1); n > 0; n--) {
      if (tags.close.startsWith(pending.substring(pending.length() - n))) {
        return n;
      }
    }
    return 0;
  }

  private int blanks() {
    int i = 0;
    while (i < pending.length() && Character.isWhitespace(pending.charAt(i))) {
      i++;
    }
    return i;
  }
}

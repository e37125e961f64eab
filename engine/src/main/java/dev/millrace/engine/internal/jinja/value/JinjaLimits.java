package dev.millrace.engine.internal.jinja.value;

/**
 * The limits of one rendering. A template comes from a downloaded file: a hostile one must end in
 * an error, not in a hang or an exhausted heap. Work is counted, not timed, so that the same input
 * gives the same outcome on every machine.
 *
 * @param sourceChars the longest template that is read
 * @param steps nodes evaluated, items looped over, and 1/16 of all characters that are put together
 *     or read on the way
 * @param textChars the longest text, of the output or of any value on the way
 * @param calls how deep macros may call each other
 */
public record JinjaLimits(int sourceChars, long steps, int textChars, int calls) {
  /**
   * Enough for every known template and a conversation of a million tokens; at worst a few seconds
   * and some hundred MB.
   */
  public static final JinjaLimits DEFAULT = new JinjaLimits(1 << 20, 20_000_000, 1 << 24, 100);

  public JinjaLimits {
    if (sourceChars < 1 || steps < 1 || textChars < 1 || calls < 1) {
      throw new IllegalArgumentException("every limit of a template is at least 1");
    }
  }
}

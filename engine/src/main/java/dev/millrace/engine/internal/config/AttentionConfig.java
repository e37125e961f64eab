package dev.millrace.engine.internal.config;

/**
 * The shape of attention.
 *
 * @param keyLength the length of a head's queries and keys
 * @param valueLength the length of a head's values
 * @param scale of the products of queries and keys
 * @param softcap bounds scores as {@code softcap * tanh(score / softcap)}; 0: none
 * @param window how many positions, its own included, a row of a windowed layer sees; 0: all
 * @param windowed per layer, whether the window holds there
 */
public record AttentionConfig(
    int heads,
    int kvHeads,
    int keyLength,
    int valueLength,
    float scale,
    float softcap,
    int window,
    boolean[] windowed) {

  /** The length of all queries of a row. */
  public int queryWidth() {
    return heads * keyLength;
  }

  /** The length of all keys of a row. */
  public int keyWidth() {
    return kvHeads * keyLength;
  }

  /** The length of all values of a row. */
  public int valueWidth() {
    return kvHeads * valueLength;
  }

  /** The length of what all heads give for a row. */
  public int attendedWidth() {
    return heads * valueLength;
  }

  /** How many positions a row of this layer sees; 0: all. */
  public int window(int layer) {
    return windowed[layer] ? window : 0;
  }
}

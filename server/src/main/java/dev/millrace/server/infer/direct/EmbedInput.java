package dev.millrace.server.infer.direct;

/** A text to embed, or its tokens. */
public sealed interface EmbedInput {
  /** The model's tokenizer makes the tokens, with those that the model expects around a text. */
  record Text(String text) implements EmbedInput {}

  /** Exactly these tokens. */
  record Tokens(int[] ids) implements EmbedInput {}
}

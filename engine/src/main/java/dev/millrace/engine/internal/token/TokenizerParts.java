package dev.millrace.engine.internal.token;

/** What a tokenizer is made of, as {@link TokenizerReader} reads it from a file. */
public record TokenizerParts(
    VocabularyTable tokens,
    SpecialTokenIds named,
    SpecialTokenFinder specials,
    TextEncoder encoder,
    Frame frame) {

  /**
   * The tokens around a text.
   *
   * @param before the token that starts a text, -1 for none
   * @param after the token that ends it, -1 for none
   * @param leadingSpace whether a text's first token starts with a space that is not in it
   */
  public record Frame(int before, int after, boolean leadingSpace) {}
}

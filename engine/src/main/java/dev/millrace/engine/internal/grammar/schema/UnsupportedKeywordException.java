package dev.millrace.engine.internal.grammar.schema;

import dev.millrace.engine.error.GrammarException;

/** A keyword of a schema that cannot be enforced. */
public final class UnsupportedKeywordException extends GrammarException {
  private final String path;
  private final String keyword;

  /**
   * @param path of the schema that has the keyword, as a pointer: {@code #/properties/city}
   */
  public UnsupportedKeywordException(String path, String keyword, String message) {
    super(message);
    this.path = path;
    this.keyword = keyword;
  }

  public String path() {
    return path;
  }

  public String keyword() {
    return keyword;
  }
}

package dev.millrace.engine.internal.token;

/** The kinds of a token, as bits: the token types of a GGUF file. A token may have several. */
public final class TokenKind {
  public static final int NORMAL = 1;
  static final int UNKNOWN = 1 << 1;
  static final int CONTROL = 1 << 2;
  public static final int USER_DEFINED = 1 << 3;
  static final int UNUSED = 1 << 4;
  public static final int BYTE = 1 << 5;

  /** Tokens that a user's text must not contain. */
  public static final int HIDDEN = UNKNOWN | CONTROL;

  /** Tokens that a text may name by their own text. */
  public static final int SPECIAL = HIDDEN | USER_DEFINED;

  private TokenKind() {}

  /** The bit of a file's type, 1 to 6; 0 for any other number. */
  static int of(int type) {
    return type >= 1 && type <= 6 ? 1 << type - 1 : 0;
  }
}

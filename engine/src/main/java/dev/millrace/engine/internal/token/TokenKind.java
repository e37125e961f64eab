package dev.millrace.engine.internal.token;

/** What a token is, as bits: the types of a GGUF file, of which a token may get several. */
public final class TokenKind {
  public static final int NORMAL = 1;
  static final int UNKNOWN = 1 << 1;
  static final int CONTROL = 1 << 2;
  public static final int USER_DEFINED = 1 << 3;
  static final int UNUSED = 1 << 4;
  public static final int BYTE = 1 << 5;

  /** Tokens that are no text of a user's. */
  public static final int HIDDEN = UNKNOWN | CONTROL;

  /** Tokens that a text may name as a whole, by their own text. */
  public static final int SPECIAL = HIDDEN | USER_DEFINED;

  private TokenKind() {}

  /** The bit of a file's type, 1 to 6; any other number is no kind at all. */
  static int of(int type) {
    return type >= 1 && type <= 6 ? 1 << type - 1 : 0;
  }
}

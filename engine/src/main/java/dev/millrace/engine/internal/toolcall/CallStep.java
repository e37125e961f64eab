package dev.millrace.engine.internal.toolcall;

/** Reads one part of a call, character by character. Stateful: each attempt has its own. */
interface CallStep {
  /** What a character does to the step. */
  enum Result {
    /** The part goes on. */
    MORE,
    /** The part is complete with this character. */
    DONE,
    /** The part was complete before this character. */
    DONE_BEFORE,
    /** This is not the part. */
    FAIL
  }

  Result accept(char c, CallDraft draft);

  /** Exactly this text. */
  static CallStep text(String text) {
    return new CallStep() {
      private int read;

      @Override
      public Result accept(char c, CallDraft draft) {
        if (text.charAt(read) != c) {
          return Result.FAIL;
        }
        return ++read == text.length() ? Result.DONE : Result.MORE;
      }
    };
  }

  /** White space, or none. */
  static CallStep blanks() {
    return (c, draft) -> JsonScanner.isBlank(c) ? Result.MORE : Result.DONE_BEFORE;
  }

  /** The name of a tool on offer. */
  static CallStep name() {
    return word(true);
  }

  /** The id of a call, which is not used. */
  static CallStep id() {
    return word(false);
  }

  private static CallStep word(boolean isName) {
    return new CallStep() {
      private final StringBuilder word = new StringBuilder();

      @Override
      public Result accept(char c, CallDraft draft) {
        if (c < 0x80 && (Character.isLetterOrDigit(c) || "_.-".indexOf(c) >= 0)) {
          word.append(c);
          return word.length() <= 128 ? Result.MORE : Result.FAIL;
        }
        boolean accepted = !isName || draft.setName(word.toString());
        return accepted ? Result.DONE_BEFORE : Result.FAIL;
      }
    };
  }
}

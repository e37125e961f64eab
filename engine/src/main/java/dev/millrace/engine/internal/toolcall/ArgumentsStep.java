package dev.millrace.engine.internal.toolcall;

/**
 * Reads the arguments of a call, a JSON object. What cannot be closed yet, such as a name without
 * its value, is added only when it can be.
 */
final class ArgumentsStep implements CallStep {
  private final JsonScanner scanner = new JsonScanner();
  private final StringBuilder pending = new StringBuilder();
  private boolean begun;

  @Override
  public Result accept(char c, CallDraft draft) {
    if (!begun && c != '{') {
      return Result.FAIL;
    }
    begun = true;
    JsonScanner.Result result = scanner.accept(c);
    if (result == JsonScanner.Result.FAIL) {
      return Result.FAIL;
    }
    pending.append(scanner.spelling(c));
    if (scanner.isClosable()) {
      draft.arguments.append(pending);
      pending.setLength(0);
    }
    return result == JsonScanner.Result.DONE ? Result.DONE : Result.MORE;
  }

  @Override
  public String closing(CallDraft draft) {
    return scanner.closing();
  }
}

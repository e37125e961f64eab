package dev.millrace.engine.internal.toolcall;

/** Reads the arguments of a call, a JSON object. */
final class ArgumentsStep implements CallStep {
  private final JsonScanner scanner = new JsonScanner();
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
    draft.arguments.append(scanner.spelling(c));
    return result == JsonScanner.Result.DONE ? Result.DONE : Result.MORE;
  }
}

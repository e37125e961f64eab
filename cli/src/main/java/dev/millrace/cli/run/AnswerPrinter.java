package dev.millrace.cli.run;

import dev.millrace.cli.command.Shell;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Logprobs;
import org.jspecify.annotations.Nullable;

/** Prints an answer as it is generated. */
final class AnswerPrinter implements GenerationListener {
  private final Shell shell;
  private final boolean silent;
  private boolean open;

  AnswerPrinter(Shell shell, boolean silent) {
    this.shell = shell;
    this.silent = silent;
  }

  @Override
  public void token(int id, String text, @Nullable Logprobs logprobs) {
    print(text);
  }

  /** Ends the last line if one was begun. */
  void end(GenerationResult result) {
    print(result.rest());
    if (open) {
      shell.out().println();
    }
    shell.out().flush();
  }

  private void print(String text) {
    if (!silent && !text.isEmpty()) {
      shell.out().print(text);
      shell.out().flush();
      open = !text.endsWith("\n");
    }
  }
}

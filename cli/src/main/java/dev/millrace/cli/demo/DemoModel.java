package dev.millrace.cli.demo;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.ModelSummary;
import org.jspecify.annotations.Nullable;

/** The model of a demo: the user's choice, else the bundled one. */
record DemoModel(ModelChoice choice, ModelSummary summary) {

  /** The context length if the file does not say. */
  private static final int USUAL_CONTEXT = 1024;

  static DemoModel of(Shell shell, @Nullable String asked) {
    ModelChoice choice = ModelChoice.of(shell, asked == null ? HouseModel.NAME : asked);
    try (Gguf model = Gguf.open(choice.file())) {
      return new DemoModel(choice, ModelSummary.of(model));
    } catch (GgufException e) {
      throw new CommandException(SanitizedText.line(e.getMessage(), 1000));
    }
  }

  /** The context length in tokens, which limits the demo's texts. */
  int context() {
    return summary.contextLength().orElse(USUAL_CONTEXT);
  }

  /** What {@code serve --model} takes for it, from any directory. */
  String argument() {
    String name = choice.name();
    if (name.equals(HouseModel.NAME)) {
      return name;
    }
    String file = choice.file().toAbsolutePath().normalize().toString();
    return name.equals(ModelChoice.stem(choice.file())) || !ModelChoice.isAlias(name)
        ? file
        : name + "=" + file;
  }

  /** The model in a few words. */
  String description() {
    return SanitizedText.line(choice.name(), 40)
        + ", "
        + NumberText.count(summary.parameters())
        + " parameters, "
        + NumberText.bytes(summary.bytes());
  }
}

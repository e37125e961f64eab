package dev.millrace.cli.doctor;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.cli.model.MachineMemory;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.cli.model.ModelFit;
import dev.millrace.cli.model.ModelHeader;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import java.util.List;

/** Checks which models {@code --model} finds, and whether their files can be read and run. */
public final class ModelsCheck {
  private static final String SUBJECT = "models";
  private static final int SHOWN = 5;

  private final Shell shell;
  private final MachineMemory memory;

  public ModelsCheck(Shell shell, MachineMemory memory) {
    this.shell = shell;
    this.memory = memory;
  }

  public void run(Findings findings) {
    ModelCatalog catalog = ModelCatalog.of(shell);
    List<ModelHeader> all =
        catalog.models().stream().map(model -> ModelHeader.read(model, memory)).toList();
    List<ModelHeader> usable = all.stream().filter(model -> model.error() == null).toList();
    if (usable.isEmpty()) {
      findings.warn(
          SUBJECT,
          "none that can be run",
          "put a GGUF file into ./models, or set MILLRACE_MODELS_DIR to its directory");
    } else {
      findings.ok(SUBJECT, NumberText.of(usable.size(), "model") + ": " + names(usable));
      size(findings, usable);
    }
    if (HouseModel.find().isEmpty()) {
      findings.warn(
          SUBJECT,
          "the bundled model \"house\" is missing",
          "start Millrace with its launcher, beside the directory models/house");
    }
    errors(findings, all.stream().filter(model -> model.error() != null).toList());
    List<String> problems = catalog.problems();
    for (String problem : problems.subList(0, Math.min(SHOWN, problems.size()))) {
      findings.warn(SUBJECT, text(problem), "check the directory and its permissions");
    }
  }

  private static void errors(Findings findings, List<ModelHeader> models) {
    for (ModelHeader model : models) {
      String name = "\"" + text(model.model().name()) + "\" ";
      String error = text(String.valueOf(model.error()));
      if (model.summary() == null) {
        findings.warn(
            SUBJECT,
            name + "cannot be read: " + error,
            "copy or download the file again, or remove it");
      } else {
        findings.ok(SUBJECT, name + "is not a model that this engine runs: " + error);
      }
    }
  }

  /** Names the models that are too large, and warns if all are. */
  private static void size(Findings findings, List<ModelHeader> usable) {
    List<ModelHeader> tooLarge =
        usable.stream()
            .filter(model -> model.fit() != null && model.fit().answer() == ModelFit.Answer.NO)
            .toList();
    if (tooLarge.isEmpty()) {
      return;
    }
    String text = "too large for this machine's memory: " + names(tooLarge);
    if (tooLarge.size() < usable.size()) {
      findings.ok(SUBJECT, text);
    } else {
      findings.warn(SUBJECT, text, "use a smaller model, or a smaller quantisation of it");
    }
  }

  private static String names(List<ModelHeader> models) {
    List<String> names =
        models.stream().limit(SHOWN).map(model -> text(model.model().name())).toList();
    int more = models.size() - names.size();
    return String.join(", ", names) + (more > 0 ? " and " + more + " more" : "");
  }

  private static String text(String text) {
    return SanitizedText.line(text, 500);
  }
}

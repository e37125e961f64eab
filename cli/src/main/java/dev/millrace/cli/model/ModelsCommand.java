package dev.millrace.cli.model;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.SanitizedText;
import java.util.List;

/** {@code millrace models}: lists model files, or shows what is in one. */
public final class ModelsCommand implements Command {
  private static final Option TENSORS = Option.flag("tensors", "inspect: list every tensor");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "models",
        List.of("[ls [DIR...]] [options]", "inspect MODEL [options]"),
        "Lists the GGUF models of this machine or below DIRs, or shows what is in one.",
        List.of(TENSORS),
        """
        NAME is the word that --model takes, here and in every other command; a part of it that no
        other name has is enough, and so is a path. Without DIR, ls lists the bundled model and
        searches MILLRACE_MODELS_DIR, NRVNA_MODELS_DIR, the directory "models" where Millrace is,
        ./models, and where Ollama (OLLAMA_MODELS), LM Studio, the Hugging Face cache (HF_HUB_CACHE,
        HF_HOME) and llama.cpp (LLAMA_CACHE) keep models: eight levels deep, at most 200,000 files.
        FITS: yes, a server has memory for it; tight, only with a smaller --ctx or fewer --slots,
        a larger --memory, or when other programs take less; no, not on this machine.
        A split model is listed once; MODEL may be any of its parts. With --json, ls prints one
        object per line.
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) {
    List<String> words = given.words();
    String what = words.isEmpty() ? "ls" : words.getFirst();
    switch (what) {
      case "ls" -> {
        if (given.has(TENSORS)) {
          throw new UsageException(TENSORS.shown() + " goes with inspect, not with ls");
        }
        new ModelList(shell).print(words.stream().skip(1).toList(), given.has(Option.JSON));
      }
      case "inspect" -> {
        given.requireAtMost(2);
        if (words.size() < 2) {
          throw new UsageException("inspect needs a MODEL");
        }
        ModelInspection inspection = new ModelInspection(shell, given.has(TENSORS));
        inspection.print(ModelChoice.of(shell, words.get(1)).file(), given.has(Option.JSON));
      }
      default ->
          throw new UsageException(
              "\"" + SanitizedText.line(what, 40) + "\" is neither ls nor inspect");
    }
    return ExitCode.OK;
  }
}

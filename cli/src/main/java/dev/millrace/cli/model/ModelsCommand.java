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
        List.of("[ls [DIR...]] [options]", "inspect FILE [options]"),
        "Lists the GGUF models of this machine or below DIRs, or shows what is in one.",
        List.of(TENSORS),
        """
        Without DIR, ls looks where Ollama (OLLAMA_MODELS), LM Studio, the Hugging Face cache
        (HF_HUB_CACHE, HF_HOME) and llama.cpp (LLAMA_CACHE) keep their models. A split model is
        listed once; FILE may be any of its parts, or a name as --model of "run" takes it, such as
        house. With --json, ls prints one object per line.
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
          throw new UsageException("inspect needs a FILE");
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

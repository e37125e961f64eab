package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.Utf8Decoder;
import dev.millrace.core.job.JobSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The text of a prompt: the words of the command line joined by one space, or stdin. */
public final class PromptArgument {
  private PromptArgument() {}

  /** The prompt that follows the workspace. A dash in its place stands for stdin. */
  public static String of(Shell shell, Arguments given) throws IOException {
    return of(shell, given, 1);
  }

  /** The prompt that begins at a word. */
  public static String of(Shell shell, Arguments given, int first) throws IOException {
    List<String> words = given.words().subList(first, given.words().size());
    boolean dash = !words.isEmpty() && words.getFirst().equals("-") && !given.isLiteral(first);
    if (dash && words.size() > 1) {
      throw new UsageException("\"-\" reads the prompt from stdin and goes without other words");
    }
    String prompt;
    if (dash || words.isEmpty() && !shell.terminal().isTerminal(Shell.Terminal.IN)) {
      prompt = read(shell);
    } else {
      prompt = String.join(" ", words);
      boolean large = prompt.length() > JobSpec.MAX_PROMPT_BYTES / 3;
      require(large ? prompt.getBytes(StandardCharsets.UTF_8).length : 0);
    }
    if (prompt.isBlank()) {
      throw new CommandException(
          "Empty prompt provided: PROMPT must not be blank; give words, or \"-\" and a text on"
              + " stdin");
    }
    return prompt;
  }

  /** Stdin without one trailing newline, which most programs print. */
  private static String read(Shell shell) throws IOException {
    byte[] bytes = shell.in().readNBytes(JobSpec.MAX_PROMPT_BYTES + 2);
    boolean newline = bytes.length > 0 && bytes[bytes.length - 1] == '\n';
    int length = newline ? bytes.length - 1 : bytes.length;
    require(length);
    return Utf8Decoder.decode(bytes, 0, length, "the prompt on stdin");
  }

  private static void require(int bytes) {
    if (bytes > JobSpec.MAX_PROMPT_BYTES) {
      throw new CommandException(
          "Prompt too large: at most " + JobSpec.MAX_PROMPT_BYTES + " bytes");
    }
  }
}

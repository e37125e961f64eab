package dev.millrace.cli.submit;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.Utf8Decoder;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the document of {@code work --job}. Tasks may be in files of their own, one per line, named
 * relative to the document; {@code -} is stdin, which only one of the files can be.
 */
final class JobFileReader {
  private static final int MOST = 64_000_000;
  private static final String STDIN = "-";

  /** The types of tasks whose input is a prompt. */
  private static final Set<String> PROMPTED = Set.of("generate", "embed");

  private final Shell shell;
  private boolean stdinUsed;

  JobFileReader(Shell shell) {
    this.shell = shell;
  }

  JobSpec read(Arguments given) throws IOException {
    PromptJobBuilder.Header header = PromptJobBuilder.Header.of(given);
    String name = String.valueOf(given.get(WorkCommand.JOB));
    Path base = name.equals(STDIN) ? shell.directory() : shell.path(name).getParent();
    String document = name.equals(STDIN) ? "the job on stdin" : name;
    byte[] bytes;
    try (InputStream in = open(name, base)) {
      bytes = in.readNBytes(MOST + 1);
    }
    if (bytes.length > MOST) {
      throw new CommandException(
          document + " is too large: at most " + MOST + " bytes; put tasks into a \"tasksFile\"");
    }
    try {
      String text = Utf8Decoder.decode(bytes, 0, bytes.length, document);
      JobSpec spec = JobDocument.read(Json.object(text), (stage, file) -> tasks(base, stage, file));
      requirePrompts(document, spec);
      return header.on(spec);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (JsonException | IllegalArgumentException e) {
      throw new CommandException(document + ": " + e.getMessage());
    }
  }

  /** A prompt on the command line must not be blank, so neither may one in a document. */
  private static void requirePrompts(String document, JobSpec spec) {
    int stage = 0;
    for (StageSpec each : spec.stages()) {
      stage++;
      int task = 0;
      for (TaskSpec one : each.tasks()) {
        task++;
        if (PROMPTED.contains(each.type())
            && one.input() instanceof String text
            && text.isBlank()) {
          throw new CommandException(
              document + ": stage " + stage + ", task " + task + ": the prompt must not be blank");
        }
      }
    }
  }

  private InputStream open(String name, Path base) throws IOException {
    if (!name.equals(STDIN)) {
      Path file = base.resolve(shell.path(name));
      if (!Files.isRegularFile(file)) {
        throw new CommandException(
            ErrorCode.NOT_FOUND,
            WorkCommand.JOB.shown()
                + ": "
                + file
                + (Files.exists(file) ? " is not a file" : " does not exist"));
      }
      return Files.newInputStream(file);
    }
    if (stdinUsed) {
      throw new CommandException("\"-\" is named twice, but there is only one stdin");
    }
    stdinUsed = true;
    return shell.in();
  }

  private List<TaskSpec> tasks(Path base, int stage, @Nullable String name) {
    if (name == null) {
      return List.of();
    }
    String file = name.equals(STDIN) ? STDIN : base.resolve(name).toString();
    List<TaskSpec> tasks = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(open(file, base), StandardCharsets.UTF_8.newDecoder()))) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (!line.isBlank()) {
          tasks.add(task(line, name + ", line " + number));
        }
        if (tasks.size() > StageSpec.MAX_TASKS) {
          throw new CommandException(
              name + ": at most " + StageSpec.MAX_TASKS + " tasks in a stage");
        }
      }
      return tasks;
    } catch (CharacterCodingException e) {
      throw new CommandException(name + " is not valid UTF-8 after " + tasks.size() + " tasks");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static TaskSpec task(String line, String where) {
    try {
      return JobDocument.task(Json.parse(line), where);
    } catch (JsonException e) {
      throw new JsonException(
          e.getMessage().startsWith(where) ? e.getMessage() : where + ": " + e.getMessage());
    }
  }
}

package dev.millrace.cli.run;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.EngineOpener;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.options.PromptArgument;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.json.Json;
import dev.millrace.engine.Engine;
import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Grammar;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code millrace run}: answers one prompt without a queue. */
public final class RunCommand implements Command {
  static final Option MAX_TOKENS =
      Option.value("max-tokens", "N", "generate at most N tokens (default: what the context holds)")
          .letter('n');
  static final Option RAW =
      Option.flag("raw", "use the prompt as it is, without the model's chat\ntemplate");
  static final Option SYSTEM = Option.value("system", "TEXT", "a system message before the prompt");
  static final Option STOP =
      Option.value("stop", "TEXT", "stop before TEXT would be generated (repeatable)").many();
  static final Option NOW =
      Option.value(
          "now", "TIME", "the current time for the chat template, such as\n2026-01-31T12:00:00Z");
  static final Option IGNORE_END =
      Option.flag("ignore-eos", "ignore the model's end token, up to --max-tokens");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "run",
        List.of("--model MODEL [options] PROMPT...", "--model MODEL [options] -"),
        "Answers one prompt, without a queue. The answer is printed as it is generated.",
        options(),
        """
        The prompt is the words of the command line, or with "-" what is read from stdin. Without
        --temp the most likely token is always taken. The same model, prompt, options and seed give
        the same answer, on any machine; a chat template that tells the date needs the same --now.
        What a model thinks before it answers is printed, too; --json keeps it apart. --json prints
        one object: text, reasoning, tokens (ids), finish_reason (stop or length), usage, seed,
        timings. Exit status: 0, or 1 if nothing could be generated.\
        """);
  }

  private static List<Option> options() {
    return List.of(
        EngineOptions.MODEL,
        SamplingOptions.TEMPERATURE,
        SamplingOptions.SEED,
        MAX_TOKENS,
        RAW,
        SYSTEM,
        InferenceOptions.SPECIAL_IN_TEXT,
        STOP,
        SamplingOptions.TOP_K,
        SamplingOptions.TOP_P,
        SamplingOptions.MIN_P,
        SamplingOptions.REPETITION,
        SamplingOptions.PRESENCE,
        SamplingOptions.FREQUENCY,
        ConstraintOptions.GRAMMAR,
        ConstraintOptions.SCHEMA,
        IGNORE_END,
        NOW,
        EngineOptions.THREADS,
        EngineOptions.CONTEXT,
        EngineOptions.CACHE,
        EngineOptions.KERNELS);
  }

  @Override
  public int run(Shell shell, Arguments given) throws IOException, InterruptedException {
    ModelChoice model = EngineOptions.model(shell, given);
    if (given.has(RAW) && given.get(SYSTEM) != null) {
      throw new UsageException("--system needs the chat template, which --raw leaves out");
    }
    given.exclude(RAW, InferenceOptions.SPECIAL_IN_TEXT);
    if (given.all(STOP).contains("")) {
      throw new UsageException("--stop must not be empty: it would end every answer at once");
    }
    // Everything is checked before stdin is read, which may block, and before the model is loaded.
    Instant now = now(given.get(NOW));
    SamplingOptions sampling = SamplingOptions.of(given);
    int most = given.integer(MAX_TOKENS, 1, Integer.MAX_VALUE, Integer.MAX_VALUE);
    Grammar grammar = ConstraintOptions.grammar(shell, given);
    EngineSettings settings = EngineOptions.settings(shell, given).withSlots(1);
    String prompt = PromptArgument.of(shell, given, 0);
    try (Engine engine = EngineOpener.open(model.file(), settings)) {
      PromptEncoder prompts = engine.prompts().with(InferenceOptions.specialTokens(given));
      RunPrompt conversation =
          given.has(RAW)
              ? RunPrompt.raw(prompts, prompt)
              : RunPrompt.chat(prompts, prompt, given.get(SYSTEM), now);
      GenerationRequest request =
          GenerationRequest.of(conversation.tokens(), sampling.sampling(), most)
              .withStops(given.all(STOP));
      if (grammar != null) {
        request = request.withConstraint(engine.constraint(grammar));
      }
      if (given.has(IGNORE_END)) {
        request = request.ignoringEnd();
      }
      NamedEngine named = new NamedEngine(model.name(), engine);
      return answer(shell, given.has(Option.JSON), named, conversation, request, sampling);
    } catch (EngineException e) {
      throw EngineOpener.error(model.file(), e);
    }
  }

  /** An engine under the name of its model. */
  private record NamedEngine(String name, Engine engine) {}

  private static int answer(
      Shell shell,
      boolean json,
      NamedEngine model,
      RunPrompt conversation,
      GenerationRequest request,
      SamplingOptions sampling)
      throws InterruptedException {
    Engine engine = model.engine();
    AnswerPrinter printer = new AnswerPrinter(shell, json);
    Generation generation = engine.submit(request, printer);
    GenerationResult result = generation.await();
    if (result.finish() == FinishReason.FAILED) {
      throw new CommandException(
          "the generation failed: " + SanitizedText.line(result.reason(), 1000));
    }
    if (json) {
      shell.out().println(Json.write(RunJson.of(model.name(), conversation, result, sampling)));
    } else {
      printer.end(result);
    }
    return ExitCode.OK;
  }

  private static Instant now(@Nullable String text) {
    try {
      return text == null ? Instant.now() : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new UsageException(
          "--now is \"" + text + "\": it must be a time such as 2026-01-31T12:00:00Z");
    }
  }
}

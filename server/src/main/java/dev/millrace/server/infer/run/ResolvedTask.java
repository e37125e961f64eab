package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.api.ConstraintStart;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.StopScope;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.engine.toolcall.OutputFormat;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.WeightlessModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.OutputGrammar;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.parameters.ToolUse;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A task whose terms are known: everything that its output depends on.
 *
 * @param prior the output of earlier attempts, to resume from
 */
public record ResolvedTask(TokenizedPrompt prompt, FrozenTerms terms, OutputChunk prior) {

  /**
   * The task under terms that were frozen earlier, as far as they hold: see {@link
   * FrozenTerms#changeSince}.
   *
   * @param createdAt the clock of the chat template
   * @throws TaskRefused if the prompt cannot be rendered
   */
  public static ResolvedTask under(
      JsonObject frozen, LoadedModel model, GenerateParameters asked, Instant createdAt) {
    EffectiveParameters parameters = EffectiveParameters.parse(frozen.object("parameters"), asked);
    PromptEncoder prompts = model.weightless().prompts().with(FrozenTerms.specialTokensOf(frozen));
    TokenizedPrompt prompt = TokenizedPrompt.of(prompts, asked, parameters, createdAt);
    NumericsVersion numerics = model.weightless().numerics().select(FrozenTerms.numericsOf(frozen));
    return new ResolvedTask(
        prompt,
        FrozenTerms.of(model.weightless(), model.sha256(), numerics, prompt, parameters),
        OutputChunk.EMPTY);
  }

  /**
   * The task under new terms, from the present defaults.
   *
   * @param seed used if neither the task nor the defaults set one
   * @param createdAt the clock of the chat template
   * @throws TaskRefused if the model can never run it
   */
  public static ResolvedTask resolve(
      LoadedModel model, GenerateParameters asked, long seed, Instant createdAt) {
    return new NewTerms(model.weightless(), model.sha256(), asked).resolve(seed, createdAt);
  }

  /**
   * Refuses a task that the model can never run as asked: its prompt, its parameters, and the
   * constraint that follows from its schemas.
   *
   * @param createdAt the clock of the chat template
   * @throws TaskRefused with the reason
   */
  public static void requireRunnable(
      WeightlessModel model, GenerateParameters asked, Instant createdAt)
      throws InterruptedException {
    String anyFile = "";
    new NewTerms(model, anyFile, asked).resolve(0, createdAt).request(model, 0);
  }

  ResolvedTask withPrior(OutputChunk output) {
    return new ResolvedTask(prompt, terms, output);
  }

  /** The same task with another seed. */
  public ResolvedTask withSeed(long seed) {
    return new ResolvedTask(
        prompt,
        new FrozenTerms(
            terms.model(), terms.cache(), terms.prompt(), terms.parameters().withSeed(seed)),
        prior);
  }

  /** The ids of a chunk, for the engine. */
  static int[] ids(OutputChunk output) {
    return output.tokens().stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * The prior output that leaves space for one more token: an attempt that filled the context and
   * was lost generates its last token again.
   */
  OutputChunk resumableOutput(int capacity) {
    int space = Math.max(0, capacity - 1 - prompt.tokens().length);
    return prior.tokens().size() <= space
        ? prior
        : new OutputChunk(
            prior.tokens().subList(0, space), prior.pieceOfEachToken().subList(0, space));
  }

  /**
   * The request to the engine, without prior tokens.
   *
   * @throws TaskRefused if the output constraint cannot be compiled
   */
  public GenerationRequest request(WeightlessModel model, long order) throws InterruptedException {
    EffectiveParameters parameters = terms.parameters();
    Set<Integer> shown = shownTokens(model);
    GenerationRequest request =
        GenerationRequest.of(prompt.tokens(), parameters.engineSampling(), parameters.maxTokens())
            .withStops(stops())
            .withStopScope(stopScope(model, shown))
            .withShownTokens(shown)
            .withOrder(order)
            .withNumerics(terms.model().numerics());
    if (parameters.output().ignoreEos()) {
      request = request.ignoringEnd();
    }
    if (parameters.output().constraint() == null && parameters.tools() == null) {
      return request;
    }
    OutputGrammar grammar =
        new OutputGrammar(parameters.output().constraint(), parameters.tools(), shown);
    List<String> triggers = grammar.triggers();
    return grammar.startsWithCall() && triggers.isEmpty()
        ? request // nothing tells a call from text before it is complete
        : request
            .withConstraint(model.constraints().compile(grammar))
            .withConstraintStart(new ConstraintStart(terms.thoughts(), triggers));
  }

  /** A required call has no text that a stop text could end. */
  private List<String> stops() {
    ToolUse tools = terms.parameters().tools();
    return tools != null && tools.required() ? List.of() : terms.parameters().output().stops();
  }

  private StopScope stopScope(WeightlessModel model, Set<Integer> shown) {
    EffectiveParameters parameters = terms.parameters();
    ToolUse tools = parameters.tools();
    ThoughtTags tags = terms.thoughts();
    boolean thinks =
        tags != null
            && parameters.rules().stopsAfterThoughts()
            && (tags.opened() || parameters.thinking() && prompt.knowsThoughts())
            && isVisible(tags.close(), model, shown);
    return new StopScope(
        thinks ? tags : null, tools == null ? List.of() : tools.format().triggers(tools.tools()));
  }

  private static boolean isVisible(String tag, WeightlessModel model, Set<Integer> shown) {
    Tokenizer tokenizer = model.tokenizer();
    return tokenizer.id(tag).stream()
        .allMatch(id -> shown.contains(id) || !tokenizer.isControl(id));
  }

  /** The control tokens that mark calls or thoughts in the output. */
  private Set<Integer> shownTokens(WeightlessModel model) {
    EffectiveParameters parameters = terms.parameters();
    ToolUse tools = parameters.tools();
    Stream<String> marks = tools == null ? Stream.of() : tools.format().shownTexts().stream();
    ThoughtTags tags = terms.thoughts();
    if (tags != null && (tools != null || parameters.output().constraint() != null)) {
      marks = Stream.concat(marks, Stream.of(tags.open(), tags.close()));
    }
    return marks
        .flatMap(text -> model.tokenizer().id(text).stream().boxed())
        .filter(model.tokenizer()::isControl)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** How the output is to be read. */
  public OutputFormat outputFormat() {
    ThoughtTags thoughts = terms.thoughts();
    ReasoningSplitter.Tags tags =
        thoughts == null ? null : new ReasoningSplitter.Tags(thoughts.open(), thoughts.close());
    boolean opened = thoughts != null && thoughts.opened();
    ToolUse tools = terms.parameters().tools();
    return tools == null
        ? new OutputFormat(tags, opened, null, List.of())
        : tools.readWith(tags, opened, terms.parameters().output().constraint() != null);
  }
}

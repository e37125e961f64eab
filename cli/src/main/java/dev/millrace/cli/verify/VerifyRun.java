package dev.millrace.cli.verify;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.InferenceOpener;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.options.GenerationDefaults;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.KvType;
import dev.millrace.server.infer.FrozenTask;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.VerifyResult;
import dev.millrace.server.infer.model.NamedModel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Repeats the tasks of a job, one model at a time, and reports how they compare. */
final class VerifyRun {
  private static final int SLOTS = 16;

  private final Shell shell;
  private final Arguments given;
  private final PlaceOwner owner;
  private final JobView view;
  private final boolean json;
  private final boolean watched;
  private int total;
  private int same;
  private int different;

  VerifyRun(Shell shell, Arguments given, PlaceOwner owner, JobView view) {
    this.shell = shell;
    this.given = given;
    this.owner = owner;
    this.view = view;
    this.json = given.has(Option.JSON);
    // On a terminal the result lines show the progress already.
    Shell.Terminal terminal = shell.terminal();
    this.watched =
        terminal.isTerminal(Shell.Terminal.ERR) && !terminal.isTerminal(Shell.Terminal.OUT);
  }

  /** Tasks with equal settings can be repeated together. */
  private record EngineKey(String model, String sha256, String kv, long context) {
    static EngineKey of(FrozenTask task) {
      Object context = task.terms().get("context");
      return new EngineKey(
          task.term("model"),
          task.term("model_sha256"),
          task.term("kv"),
          context instanceof Number number ? number.longValue() : 0);
    }
  }

  int run(FrozenTasks tasks) throws InterruptedException {
    total = tasks.tasks().size();
    Map<EngineKey, List<FrozenTask>> tasksByEngine = new LinkedHashMap<>();
    for (FrozenTask task : tasks.tasks()) {
      tasksByEngine.computeIfAbsent(EngineKey.of(task), _ -> new ArrayList<>()).add(task);
    }
    VerifyModelFinder models = new VerifyModelFinder(shell, given, owner);
    for (var entry : tasksByEngine.entrySet()) {
      repeat(entry.getKey(), entry.getValue(), models);
    }
    summary(tasks);
    return different == 0 && same > 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private void repeat(EngineKey key, List<FrozenTask> tasks, VerifyModelFinder models)
      throws InterruptedException {
    Path file;
    try {
      file = models.find(key.model(), key.sha256());
    } catch (CommandException e) {
      tasks.forEach(task -> report(task, VerifyResult.notRepeated(e.getMessage())));
      return;
    }
    String name = key.model().isBlank() ? ModelChoice.stem(file) : key.model();
    // The terms contain all settings of the server except for the chat template.
    InferenceSettings settings =
        InferenceSettings.of(List.of(new NamedModel(name, file)))
            .withEngine(engine(key).withSlots(Math.min(SLOTS, tasks.size())))
            .withMemory(Long.MAX_VALUE)
            .withSampling(GenerationDefaults.of(shell))
            .withChatTemplate(GenerationDefaults.chatTemplate(shell));
    try (Inference inference = InferenceOpener.open(settings)) {
      repeat(inference, tasks);
    }
  }

  private EngineSettings engine(EngineKey key) {
    EngineSettings settings = EngineOptions.settings(shell, given);
    for (KvType type : KvType.values()) {
      settings = type.name().equals(key.kv()) ? settings.withKvType(type) : settings;
    }
    long context = key.context() == 0 ? InferenceOptions.USUAL_CONTEXT : key.context();
    return settings.withContext(Math.clamp(context, 2, 1 << 24));
  }

  /** Runs as many at once as the model takes: results do not depend on each other. */
  private void repeat(Inference inference, List<FrozenTask> tasks) throws InterruptedException {
    record Running(FrozenTask task, Future<VerifyResult> verdict) {}
    ArrayDeque<Running> running = new ArrayDeque<>();
    try (ExecutorService threads =
        Executors.newThreadPerTaskExecutor(MonitoredThreads.virtualWork().factory())) {
      for (FrozenTask task : tasks) {
        if (running.size() >= inference.slots()) {
          Running first = running.remove();
          report(first.task(), await(first.verdict()));
        }
        running.add(new Running(task, threads.submit(() -> inference.verify(task.request(view)))));
      }
      for (Running each : running) {
        report(each.task(), await(each.verdict()));
      }
    }
  }

  private static String label(FrozenTask task) {
    return task.task().stage() + "/" + task.task().task();
  }

  private static VerifyResult await(Future<VerifyResult> verdict) throws InterruptedException {
    try {
      return verdict.get();
    } catch (ExecutionException e) {
      return VerifyResult.notRepeated("cannot be repeated: " + e.getCause().getMessage());
    }
  }

  private void report(FrozenTask task, VerifyResult verdict) {
    if (verdict.same()) {
      same++;
    } else {
      different++;
    }
    if (json) {
      shell.printLine(
          Json.write(
              JsonObject.create()
                  .put("stage", task.task().stage())
                  .put("task", task.task().task())
                  .put("same", verdict.same())
                  .put("message", verdict.message())));
    } else {
      shell.printLine(label(task) + "  " + SanitizedText.line(verdict.message(), 2_000));
    }
    if (watched) {
      int done = same + different;
      shell.err().print("\r" + done + " of " + total + (done == total ? "\n" : ""));
      shell.err().flush();
    }
  }

  private void summary(FrozenTasks tasks) {
    if (json) {
      shell.printLine(
          Json.write(
              JsonObject.create()
                  .put("id", view.header().id().value())
                  .put("same", same)
                  .put("different", different)
                  .put("left_out", tasks.skipped())));
      return;
    }
    String others =
        tasks.skipped() == 0
            ? ""
            : "; " + tasks.skipped() + " skipped: not completed, or not processed by a model";
    if (same + different == 0) {
      shell.err().println("nothing to verify" + others);
    } else {
      shell.printLine(same + " the same, " + different + " not" + others);
    }
  }
}

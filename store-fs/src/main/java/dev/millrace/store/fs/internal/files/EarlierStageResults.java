package dev.millrace.store.fs.internal.files;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.json.Json;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The results of earlier stages, read from their files when a template refers to them. */
final class EarlierStageResults implements StageTemplate.Results {
  private final JobDirectory at;
  private final JobFiles files;
  private final JobFold fold;
  private final int stage;
  private final Map<Integer, List<@Nullable String>> read = new HashMap<>();

  EarlierStageResults(JobDirectory at, JobFiles files, JobFold fold, int stage) {
    this.at = at;
    this.files = files;
    this.fold = fold;
    this.stage = stage;
  }

  @Override
  public int stage() {
    return stage;
  }

  @Override
  public List<@Nullable String> of(int number) {
    return read.computeIfAbsent(number, this::load);
  }

  private List<@Nullable String> load(int number) {
    StageFold of = fold.stage(number);
    List<@Nullable String> texts = new ArrayList<>();
    try {
      for (int task = 1; task <= of.size(); task++) {
        TaskResult result = files.result(at, JobFiles.TaskSnapshot.of(of, task));
        texts.add(result == null ? null : result.text());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return texts;
  }

  @Override
  public String input(int number, int task) {
    try {
      Object input = files.task(at, fold.stage(number), task).input();
      return input instanceof String text ? text : Json.write(input);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

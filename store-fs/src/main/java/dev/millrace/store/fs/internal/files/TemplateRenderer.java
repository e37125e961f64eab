package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.core.template.StageTemplateException;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Renders the templates of a stage when it opens. If a crash undid an earlier opening, it replaces
 * the file that was left.
 */
record TemplateRenderer(
    JobDirectory at, StagedJobFiles files, JobFold fold, UnsyncedChanges unsynced)
    implements JobUpdate.TemplateResolver {

  @Override
  public Fact.Opening resolve(StageFold stage) {
    try {
      List<TaskSpec> tasks = render(stage);
      files.render(at, stage, tasks, unsynced);
      return new Fact.Opening(tasks.size(), null);
    } catch (StageTemplateException | JsonException | JobFiles.MalformedJobException e) {
      return new Fact.Opening(stage.size(), e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<TaskSpec> render(StageFold stage) throws IOException {
    EarlierStageResults earlier = new EarlierStageResults(at, files, fold, stage.number());
    String each = stage.plan().spec().each();
    List<TaskSpec> rendered = new ArrayList<>();
    if (each != null) {
      StageFold previous = fold.stage(stage.number() - 1);
      for (int task = 1; task <= previous.size(); task++) {
        if (previous.task(task).state() == TaskState.COMPLETED) {
          rendered.add(TaskSpec.of(StageTemplate.render(each, earlier, task)));
        }
      }
      return rendered;
    }
    for (int task = 1; task <= stage.size(); task++) {
      TaskSpec given = files.template(at, JobFiles.TaskSnapshot.of(stage, task));
      rendered.add(
          given.template()
              ? given.rendered(StageTemplate.render((String) given.input(), earlier, 0))
              : given);
    }
    return rendered;
  }
}

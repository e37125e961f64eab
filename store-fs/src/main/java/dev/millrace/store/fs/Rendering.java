package dev.millrace.store.fs;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.template.Template;
import dev.millrace.core.template.TemplateException;
import dev.millrace.store.fs.JobFiles.At;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Renders the templates of stages that open; a file from an opening that a crash undid is replaced.
 */
record Rendering(At at, StagedFiles files, JobFold fold, Dirty dirty) implements Turn.Openings {

  @Override
  public Fact.Opening open(StageFold stage) {
    try {
      List<TaskSpec> tasks = render(stage);
      files.render(at, stage, tasks, dirty);
      return new Fact.Opening(tasks.size(), null);
    } catch (TemplateException | JsonException | JobFiles.Malformed e) {
      return new Fact.Opening(stage.size(), e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<TaskSpec> render(StageFold stage) throws IOException {
    EarlierResults earlier = new EarlierResults(at, files, fold, stage.number());
    String each = stage.plan().spec().each();
    List<TaskSpec> rendered = new ArrayList<>();
    if (each != null) {
      StageFold previous = fold.stage(stage.number() - 1);
      for (int task = 1; task <= previous.size(); task++) {
        if (previous.task(task).state() == TaskState.COMPLETED) {
          rendered.add(TaskSpec.of(Template.render(each, earlier, task)));
        }
      }
      return rendered;
    }
    for (int task = 1; task <= stage.size(); task++) {
      TaskSpec given = files.template(at, JobFiles.Seen.of(stage, task));
      rendered.add(
          given.template()
              ? given.rendered(Template.render((String) given.input(), earlier, 0))
              : given);
    }
    return rendered;
  }
}

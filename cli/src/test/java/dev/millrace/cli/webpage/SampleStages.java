package dev.millrace.cli.webpage;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.util.Arrays;
import java.util.List;

/** Stages of jobs as tests of the page need them. */
final class SampleStages {
  private SampleStages() {}

  /** One stage with one prompt. */
  static List<StageSpec> one(String prompt) {
    return of("generate", prompt);
  }

  /** One stage of a type, with tasks. */
  static List<StageSpec> of(String type, String... inputs) {
    return List.of(StageSpec.of(type, tasks(inputs)));
  }

  /** A stage, and one behind a gate that makes a task of each result. */
  static List<StageSpec> gated(String prompt, String template) {
    return List.of(
        StageSpec.of("generate", tasks(prompt)),
        StageSpec.builder("generate").gate(true).each(template).build());
  }

  /** A job with a name and one prompt. */
  static JobSpec job(String name, String prompt, String... tags) {
    return JobSpec.builder().name(name).tags(List.of(tags)).stages(one(prompt)).build();
  }

  private static List<TaskSpec> tasks(String... inputs) {
    return Arrays.stream(inputs).map(TaskSpec::of).toList();
  }
}

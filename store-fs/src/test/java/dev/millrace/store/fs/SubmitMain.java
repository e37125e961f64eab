package dev.millrace.store.fs;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Submitting;
import java.nio.file.Path;

/**
 * A program that submits jobs until it is killed: {@code SubmitMain WORKSPACE NAME}. It says the id
 * and the text of each that was acknowledged.
 */
final class SubmitMain {
  private SubmitMain() {}

  public static void main(String[] arguments) {
    Submitting store = Workspace.open(Path.of(arguments[0])).submitting();
    for (int i = 0; ; i++) {
      String text = arguments[1] + "-" + i;
      System.out.println(store.submit(job(text)) + " " + text);
    }
  }

  /** One prompt, or two stages of two tasks. */
  static JobSpec job(String text) {
    JobSpec spec =
        text.hashCode() % 4 == 0
            ? Specs.job(
                Specs.stage("a", text + " one", text + " two"), Specs.each("b", "({{result}})"))
            : Specs.plain(text);
    return Specs.with(Specs.indestructible(), spec);
  }
}

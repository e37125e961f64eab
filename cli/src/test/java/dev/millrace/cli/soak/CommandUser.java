package dev.millrace.cli.soak;

import dev.millrace.cli.process.LauncherProcess;
import dev.millrace.cli.soak.SoakHistory.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Types commands at the workspace's directory: each is a process of its own. */
final class CommandUser {
  private static final int PATIENCE_S = 150;

  private final SoakRun run;
  private final String actor;
  private final SplittableRandom random;
  private final Map<String, String> environment;
  private int typed;

  /**
   * @param environment which gives commands the clock of the servers
   */
  CommandUser(SoakRun run, String actor, Map<String, String> environment) {
    this.run = run;
    this.actor = actor;
    this.environment = environment;
    random = run.random(actor);
  }

  void step() throws IOException, InterruptedException {
    run.linger(500 + random.nextInt(3_000));
    Optional<SoakJobs.Known> job = run.jobs().any(random);
    if (run.ended()) {
      return;
    }
    if (job.isEmpty() || random.nextInt(3) == 0) {
      submit();
      return;
    }
    String id = job.get().id();
    switch (random.nextInt(7)) {
      case 0 -> type("jobs", ws());
      case 1 -> type("job", ws(), id);
      case 2 -> type("flow", ws(), id);
      case 3 -> pull("pause", id);
      case 4, 5 -> pull("resume", id);
      default -> pull("abort", id);
    }
  }

  private String ws() {
    return run.workspace().toString();
  }

  private void submit() throws IOException, InterruptedException {
    String name = actor + "-" + ++typed;
    String[] command = {
      "work", ws(), "--type", SoakDocuments.PROGRAM, "--name", name, "--attempts", "1000", name
    };
    Typed said = type(command);
    boolean done = said.status == 0;
    run.history()
        .add(
            actor,
            "submit",
            done ? said.out : "",
            name,
            done ? Answer.ACKNOWLEDGED : Answer.UNKNOWN);
  }

  private void pull(String lever, String id) throws IOException, InterruptedException {
    String comment = actor + "-comment-" + ++typed;
    Typed said = type(lever, ws(), id, "--json", "--comment", comment);
    run.history().add(actor, lever, id, comment, said.answer());
  }

  /** What a command has answered and printed. */
  private record Typed(int status, String out, String err) {
    /** A refusal is known by its code; any other error says nothing about what was done. */
    Answer answer() {
      return status == 0
          ? Answer.ACKNOWLEDGED
          : err.contains("\"code\":\"refused\"") ? Answer.REFUSED : Answer.UNKNOWN;
    }
  }

  private Typed type(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(LauncherProcess.script().toString()));
    command.addAll(List.of(words));
    Path out = Files.createTempFile(run.dir(), actor, ".out");
    Path err = Files.createTempFile(run.dir(), actor, ".err");
    ProcessBuilder builder = new ProcessBuilder(command).directory(run.dir().toFile());
    SoakProcess.prepare(builder, run);
    builder.environment().putAll(environment);
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    process.getOutputStream().close();
    if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
      run.history().problem("it hangs: millrace " + String.join(" ", words));
      process.destroyForcibly().waitFor();
    }
    String said = Files.readString(err);
    if (SoakOutputs.showsTrouble(said)) {
      run.history().problem("millrace " + String.join(" ", words) + " said: " + said);
    }
    Typed typed = new Typed(process.exitValue(), Files.readString(out).strip(), said);
    Files.delete(out);
    Files.delete(err);
    return typed;
  }
}

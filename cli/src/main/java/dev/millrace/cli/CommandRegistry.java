package dev.millrace.cli;

import dev.millrace.cli.batch.BatchCommand;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.demo.DemoCommand;
import dev.millrace.cli.doctor.DoctorCommand;
import dev.millrace.cli.levers.LeverCommand;
import dev.millrace.cli.levers.LeverTable;
import dev.millrace.cli.levers.PruneCommand;
import dev.millrace.cli.levers.RetryCommand;
import dev.millrace.cli.model.ModelsCommand;
import dev.millrace.cli.move.MoveCommand;
import dev.millrace.cli.network.KeygenCommand;
import dev.millrace.cli.network.NodeCommand;
import dev.millrace.cli.network.NodesCommand;
import dev.millrace.cli.network.PipesCommand;
import dev.millrace.cli.read.FlowCommand;
import dev.millrace.cli.read.JobCommand;
import dev.millrace.cli.read.JobsCommand;
import dev.millrace.cli.run.BenchCommand;
import dev.millrace.cli.run.RunCommand;
import dev.millrace.cli.run.TokenizeCommand;
import dev.millrace.cli.serve.ApiKeyCommand;
import dev.millrace.cli.serve.NrvnadCommand;
import dev.millrace.cli.serve.ServeCommand;
import dev.millrace.cli.submit.WorkCommand;
import dev.millrace.cli.verify.VerifyCommand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All commands by name. Only the class of the command that runs is loaded. */
final class CommandRegistry {

  /** A line of the overview. */
  record Entry(String name, String summary) {}

  static final List<Entry> ALL =
      List.of(
          new Entry("work", "submit a prompt or a job, print its id (alias: wrk)"),
          new Entry("flow", "print results and status, wait, follow (alias: flw)"),
          new Entry("jobs", "list jobs"),
          new Entry("job", "show everything about a job"),
          new Entry("pause", "pause jobs: none of their tasks is started"),
          new Entry("resume", "resume paused jobs"),
          new Entry("abort", "cancel jobs for good"),
          new Entry("approve", "approve a stage that waits at its gate"),
          new Entry("retry", "run finished jobs again, as new jobs"),
          new Entry("prune", "delete old finished jobs"),
          new Entry("move", "move all jobs to another store"),
          new Entry("serve", "process the jobs of a workspace (alias: nrvnad)"),
          new Entry("apikey", "create a key for the HTTP API"),
          new Entry("node", "compute some layers of a model for other servers"),
          new Entry("nodes", "list the nodes of a network and their layers"),
          new Entry("pipes", "show the pipes through a model's layers"),
          new Entry("keygen", "create a key for a network of nodes"),
          new Entry("demo", "run a demonstration with the bundled model"),
          new Entry("verify", "generate a job's results again and compare"),
          new Entry("batch", "answer a file of OpenAI batch requests"),
          new Entry("run", "answer one prompt, without a queue"),
          new Entry("tokenize", "print the token ids of a text"),
          new Entry("bench", "measure how fast a model runs here"),
          new Entry("models", "list model files, show what is in one"),
          new Entry("states", "print the state machines"),
          new Entry("doctor", "check this machine and a workspace"),
          new Entry("install", "put the commands on your PATH"),
          new Entry("version", "print the version"),
          new Entry("help", "explain a command"));

  private CommandRegistry() {}

  static @Nullable Command find(String name) {
    return switch (name) {
      case "work", "wrk" -> new WorkCommand();
      case "flow", "flw" -> new FlowCommand();
      case "jobs" -> new JobsCommand();
      case "job" -> new JobCommand();
      case "pause" -> new LeverCommand(LeverTable.PAUSE);
      case "resume" -> new LeverCommand(LeverTable.RESUME);
      case "abort" -> new LeverCommand(LeverTable.ABORT);
      case "approve" -> new LeverCommand(LeverTable.APPROVE);
      case "retry" -> new RetryCommand();
      case "prune" -> new PruneCommand();
      case "move" -> new MoveCommand();
      case "serve" -> new ServeCommand();
      case "nrvnad" -> new NrvnadCommand();
      case "apikey" -> new ApiKeyCommand();
      case "node" -> new NodeCommand();
      case "nodes" -> new NodesCommand();
      case "pipes" -> new PipesCommand();
      case "keygen" -> new KeygenCommand();
      case "demo" -> new DemoCommand();
      case "verify" -> new VerifyCommand();
      case "batch" -> new BatchCommand();
      case "run" -> new RunCommand();
      case "tokenize" -> new TokenizeCommand();
      case "bench" -> new BenchCommand();
      case "models" -> new ModelsCommand();
      case "states" -> new StatesCommand();
      case "doctor" -> new DoctorCommand();
      case "install" -> new InstallCommand();
      case "version", "--version", "-v" -> new VersionCommand();
      case "help", "--help", "-h" -> new HelpCommand();
      default -> null;
    };
  }

  static List<String> names() {
    List<String> names = new ArrayList<>();
    for (Entry entry : ALL) {
      names.add(entry.name());
    }
    return names;
  }
}

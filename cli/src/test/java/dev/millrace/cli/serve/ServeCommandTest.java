package dev.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code serve} as far as it needs no process of its own; the rest is in {@code LauncherIT}. */
class ServeCommandTest extends CommandFixture {
  @BeforeEach
  void open() {
    cli.submit("ws", "x");
  }

  private void refused(String message, String... words) {
    String[] args = new String[words.length + 1];
    args[0] = "serve";
    System.arraycopy(words, 0, args, 1, words.length);
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.toString()).isEqualTo(1);
    boolean json = List.of(words).contains("--json");
    assertThat(result.err()).startsWith(json ? "{\"error\":" : "Error: ").contains(message);
  }

  /** Nothing is loaded, and no workspace is made: the option is named at once. */
  @Test
  void aMemoryThatNoModelFitsIntoIsRejectedFirst() throws IOException {
    RandomModelFiles.random(dir.resolve("m.gguf"), 1);
    refused(
        "--memory must be an amount of memory from 1M",
        "-d",
        "new",
        "-m",
        "m.gguf",
        "--memory",
        "1");
    refused(
        "--memory 1M: model \"m\" needs ",
        "-d",
        "new",
        "-m",
        "m.gguf",
        "--memory",
        "1M",
        "--ctx",
        "64");
    assertThat(dir.resolve("new")).doesNotExist();
  }

  @Test
  void wrongArgumentsAreRejected() {
    refused("or --exec TYPE=COMMAND", "-d", "ws");
    refused("no workspace: name one", "--exec", "a=b");
    refused("--exec must be TYPE=COMMAND", "-d", "ws", "--exec", "cat");
    refused("--exec must be TYPE=COMMAND", "-d", "ws", "--exec", "a= ");
    refused("--exec names type \"a\" twice", "-d", "ws", "--exec", "a=b", "--exec", "a=c");
    refused("stage type \"a/b\"", "-d", "ws", "--exec", "a/b=c");
    refused("--exec-env goes with --exec", "-d", "ws", "--port", "0", "--exec-env", "A=b");
    refused(
        "--exec-env: the server's environment has no NOT_SET",
        "-d",
        "ws",
        "--exec",
        "a=b",
        "--exec-env",
        "NOT_SET");
    refused("there is no group \"no-such\"", "-d", "new", "--exec", "a=b", "--group", "no-such");
    refused("--status and --group", "-d", "ws", "--status", "--group", "g");
    refused("--slots must be a whole number", "-d", "ws", "--exec", "a=b", "--slots", "0");
    refused("unexpected argument: ws", "ws", "--exec", "a=b");
    refused("--status and --stop", "-d", "ws", "--status", "--stop");
    refused("--status and --exec", "-d", "ws", "--status", "--exec", "a=b");
    refused("--wait and --no-wait", "-d", "ws", "--wait", "--no-wait", "--exec", "a=b");
    refused("--timeout goes with --stop", "-d", "ws", "--timeout", "3", "--exec", "a=b");
    refused(
        "--timeout must be a whole number from 1 to 3600", "-d", "ws", "--stop", "--timeout", "0");
    refused("--json goes with", "-d", "ws", "--json", "--exec", "a=b");
    refused("no workspace in", "-d", "none", "--status");
    cli.env("NRVNA_WORKERS", "many");
    refused("NRVNA_WORKERS must be a whole number", "-d", "ws", "--exec", "a=b");
  }

  @Test
  void modelsThatCannotBeServedAreRejected() throws IOException {
    Files.writeString(dir.resolve("m.gguf"), "no model");
    Files.createDirectories(dir.resolve("other"));
    Files.writeString(dir.resolve("other/m.gguf"), "no model");
    refused("--model house (the bundled model), or --exec", "-d", "ws");
    refused("there is no such file", "-d", "ws", "--model", "none.gguf");
    refused("two models are called \"m\"", "-d", "ws", "-m", "m.gguf", "-m", "other/m.gguf");
    refused(
        "both work on tasks of type \"embed\"", "-d", "ws", "-m", "m.gguf", "--exec", "embed=cat");
    refused("--memory must be an amount", "-d", "ws", "-m", "m.gguf", "--memory", "much");
    refused("--idle must be longer than 0s", "-d", "ws", "-m", "m.gguf", "--idle", "0s");
    refused("--cache is \"f8\"", "-d", "ws", "-m", "m.gguf", "--cache", "f8");
    refused("--ctx must be a whole number", "-d", "ws", "-m", "m.gguf", "--ctx", "1");
    refused(
        "--slots must be a whole number from 1 to 512",
        "-d",
        "ws",
        "-m",
        "m.gguf",
        "--slots",
        "513");
    refused("--memory goes with --model", "-d", "ws", "--exec", "a=b", "--memory", "4G");
    refused("--status and --model", "-d", "ws", "--status", "--model", "m.gguf");
    refused("--stop and --threads", "-d", "ws", "--stop", "--threads", "2");
    for (String variable :
        new String[] {
          "NRVNA_MAX_CTX", "MILLRACE_TEMP", "NRVNA_THINKING", "NRVNA_MAX_RECOVERY_ATTEMPTS"
        }) {
      cli.env(variable, "some");
      refused(variable + " must be", "-d", "ws", "-m", "m.gguf");
      cli.env(variable, "");
    }
    cli.env("MILLRACE_MODEL", "none.gguf");
    refused("there is no such file", "-d", "ws");
  }

  @Test
  void endModelsThatCannotBeServedAreRejected() throws IOException {
    RandomModelFiles.random(dir.resolve("m.gguf"), 1);
    cli.run("keygen", "net.key");
    String[] pipe = {
      "-d", "ws", "--end-model", "m.gguf", "--join", "127.0.0.1:1", "--key-file", "net.key"
    };
    refused("--join goes with --end-model", "-d", "ws", "--exec", "a=b", "--join", "a:1");
    refused("--audit goes with --end-model", "-d", "ws", "-m", "m.gguf", "--audit", "1");
    refused("--end-model needs a network", "-d", "ws", "--end-model", "m.gguf");
    refused(
        "pass --key-file net.key", "-d", "ws", "--end-model", "m.gguf", "--join", "127.0.0.1:1");
    refused("there is no such file", with(pipe, 3, "none.gguf"));
    refused("--local-layers must be a whole number from 0 to 2", and(pipe, "--local-layers", "3"));
    refused("--audit must be a share from 0 to 1", and(pipe, "--audit", "1.5"));
    refused("--audit must be a share from 0 to 1", and(pipe, "--audit", "some"));
    refused("--step-timeout must be a whole number", and(pipe, "--step-timeout", "0"));
    refused("--max-pipes must be a whole number", and(pipe, "--max-pipes", "65"));
    refused("--node-name: \"a b\" is no name for a node", and(pipe, "--node-name", "a b"));
    refused("two models are called \"m\"", and(pipe, "--model", "m.gguf"));
    refused("both work on tasks of type \"generate\"", and(pipe, "--exec", "generate=cat"));
    refused("cannot reach 127.0.0.1:0", with(pipe, 5, "10.0.0.5:5000"));
    refused("--end-model may be given only once", and(pipe, "--end-model", "m.gguf"));
    refused("--status and --end-model", "-d", "ws", "--status", "--end-model", "m.gguf");
    RandomModelFiles.encoder(dir.resolve("e.gguf"));
    refused("gives embeddings and generates no text", with(pipe, 3, "e.gguf"));
  }

  private static String[] with(String[] words, int index, String word) {
    String[] changed = words.clone();
    changed[index] = word;
    return changed;
  }

  private static String[] and(String[] words, String... more) {
    String[] all = java.util.Arrays.copyOf(words, words.length + more.length);
    System.arraycopy(more, 0, all, words.length, more.length);
    return all;
  }

  @Test
  void theConfigurationSuppliesOptionsThatAreNotGiven() throws IOException {
    Path file = dir.resolve("s.toml");
    Files.writeString(file, "workspace = \"ws\"\nslots = 0\nexec = [\"a=b\"]\n");
    refused(file + ", line 2: slots must be a whole number from 1", "--config", "s.toml");
    Files.writeString(file, "workspace = \"none\"\nmodel = \"none.gguf\"\n");
    refused("there is no such file", "--config", "s.toml");
    refused("no workspace in", "--config", "s.toml", "--status");
    assertThat(cli.run("serve", "--config", "s.toml", "-d", "ws", "--status").out())
        .isEqualTo("not running\n");
    Files.writeString(file, "drain = true\n");
    refused(file + ", line 1: there is no key \"drain\"", "--config", "s.toml");
  }

  @Test
  void anOwnedWorkspaceIsAnErrorWithNoWait() {
    try (JobStore other = Workspace.open(ws).own().orElseThrow()) {
      assertThat(other).isNotNull();
      refused(
          "is owned by pid " + ProcessHandle.current().pid(),
          "-d",
          "ws",
          "--exec",
          "a=b",
          "--no-wait");
    }
  }

  @Test
  void theDaemonOfNrvnaNamesItsOwnCommands() throws IOException {
    RandomModelFiles.random(dir.resolve("m.gguf"), 1);
    try (JobStore other = Workspace.open(ws).own().orElseThrow()) {
      assertThat(other).isNotNull();
      assertThat(cli.run("nrvnad", "m.gguf", "ws").err())
          .endsWith("; \"millrace nrvnad stop ws\" stops it\n");
    }
    assertThat(cli.run("nrvnad", "m.gguf", "ws", "--vocoder", "v.gguf").err())
        .contains("--vocoder is not supported", "Make speech of a result in a last stage");
    assertThat(cli.run("nrvnad", "m.gguf", "ws", "--mmproj", "p.gguf").err())
        .contains("--mmproj is not supported", "Turn images and sound into text first");
  }

  @Test
  void statusFollowsTheLock() {
    Workspace workspace = Workspace.open(ws);
    assertThat(cli.run("serve", "-d", "ws", "--status"))
        .isEqualTo(new InProcessCli.Result(1, "not running\n", ""));
    long pid = ProcessHandle.current().pid();
    try (JobStore store = workspace.own().orElseThrow()) {
      assertThat(store).isNotNull();
      assertThat(cli.run("serve", "-d", "ws", "--status"))
          .isEqualTo(new InProcessCli.Result(2, "starting (pid " + pid + ")\n", ""));
      workspace.announceStart(JsonObject.create().put("model", "m.gguf"));
      assertThat(cli.run("nrvnad", "status", "ws"))
          .isEqualTo(new InProcessCli.Result(2, "starting (pid " + pid + ")\n", ""));
      assertThat(Json.object(cli.run("nrvnad", "status", "ws", "--json").out()).values())
          .containsEntry("ready", false)
          .containsEntry("model", "m.gguf");
      workspace.announce(
          JsonObject.create().put("workers", 3).put("model", "m.gguf").put("http", "http://h:1"));
      assertThat(cli.run("serve", "-d", "ws", "--status"))
          .isEqualTo(
              new InProcessCli.Result(
                  0, "ready (pid " + pid + ", model m.gguf, workers 3, http http://h:1)\n", ""));
      assertThat(Json.object(cli.run("serve", "-d", "ws", "--status", "--json").out()).values())
          .containsEntry("running", true)
          .containsEntry("ready", true)
          .containsEntry("pid", pid)
          .containsEntry("workers", 3L)
          .containsEntry("http", "http://h:1");
    }
    assertThat(Json.write(Json.parse(cli.run("serve", "-d", "ws", "--status", "--json").out())))
        .isEqualTo("{\"running\":false,\"ready\":false}");
  }

  @Test
  void filesOfADeadServerAreRemoved() throws IOException {
    Files.writeString(ws.resolve(".nrvnad.pid"), "4194305\n"); // beyond the largest pid of Linux
    Files.writeString(ws.resolve(".nrvnad.ready"), "");
    assertThat(cli.run("serve", "-d", "ws", "--status").out()).isEqualTo("not running\n");
    assertThat(ws.resolve(".nrvnad.pid")).doesNotExist();
    assertThat(ws.resolve(".nrvnad.ready")).doesNotExist();
  }

  @Test
  void nothingToStopIsNoError() {
    assertThat(cli.run("serve", "-d", "ws", "--stop"))
        .isEqualTo(new InProcessCli.Result(0, "not running\n", ""));
    assertThat(cli.run("serve", "-d", "ws", "--stop", "--json").out())
        .isEqualTo("{\"outcome\":\"not running\"}\n");
  }

  @Test
  void onlyAVerifiedOwnerIsSignalled() throws Exception {
    Process innocent = new ProcessBuilder("sleep", "60").start();
    try (JobStore store = Workspace.open(ws).own().orElseThrow()) {
      assertThat(store).isNotNull();
      refused("is this process", "-d", "ws", "--stop");
      Files.writeString(ws.resolve(".nrvnad.lock"), innocent.pid() + "\n");
      refused("not a server; it is not signalled", "-d", "ws", "--stop");
      Files.writeString(ws.resolve(".nrvnad.lock"), "4194305\n");
      refused("is not a process here", "-d", "ws", "--stop");
      Files.writeString(ws.resolve(".nrvnad.lock"), "nonsense\n");
      refused("try again in a moment", "-d", "ws", "--stop");
      assertThat(innocent.isAlive()).isTrue();
    } finally {
      innocent.destroyForcibly();
    }
  }
}

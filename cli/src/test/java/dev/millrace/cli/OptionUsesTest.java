package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Help never offers what a command refuses: each option that a help text lists is in a command line
 * below that the command accepts. A command may fail after that, because a job, a model or a node
 * is missing; a server finds its workspace taken, after it has read all its options.
 */
class OptionUsesTest {
  private static final String SERVE = "serve -d ws --no-wait ";
  private static final String PIPE =
      SERVE + "--end-model m.gguf --no-http --listen 127.0.0.1:0 --key-file net.key ";

  private static final Map<String, List<String>> USES =
      Map.ofEntries(
          Map.entry(
              "work",
              List.of(
                  "work ws x --model m --system s --temp 1 --seed 1 -n 5 --top-k 4 --top-p 0.5"
                      + " --min-p 0.1 --stop s --param k=1 --name n --tag t --priority HIGH --hold"
                      + " --attempts 2 --queue-timeout 1h --run-timeout 1m --json",
                  "work ws x --raw --parent ID --grammar g.gbnf",
                  "work ws x --json-schema s.json",
                  "work ws x --embed",
                  "work ws x --mode embed",
                  "work ws x --type t",
                  "work ws --job job.json",
                  "work ws x --group no-such-group",
                  "work --version")),
          Map.entry(
              "flow",
              List.of(
                  "flow ws DONE -w --timeout 5s --tasks --json",
                  "flow ws DONE -f --stage 1",
                  "flow ws -W --tag t",
                  "flow ws --children 1_2_3",
                  "flow --version")),
          Map.entry("jobs", List.of("jobs -d ws --state done --tag t --limit 1 --json")),
          Map.entry("job", List.of("job -d ws ID --events", "job ws ID --json")),
          Map.entry("pause", List.of("pause -d ws ID --comment c --json")),
          Map.entry("resume", List.of("resume -d ws 1_2_3 --comment c --json")),
          Map.entry("abort", List.of("abort -d ws 1_2_3 --comment c --json")),
          Map.entry("approve", List.of("approve -d ws ID 1 --comment c --json")),
          Map.entry("retry", List.of("retry -d ws 1_2_3 --from-start --json")),
          Map.entry("prune", List.of("prune -d ws --older-than 9d --state done --dry-run --json")),
          Map.entry(
              "serve",
              List.of(
                  SERVE
                      + "--model m.gguf --exec a=b --slots 2 --threads 1 --ctx 64 --cache q8"
                      + " --kernels vector --memory 1G --idle 1m --port 0 --bind 127.0.0.1"
                      + " --api-key-file keys --rate 5 --max-streams 9 --max-streams-per-key 3"
                      + " --max-dequeues 9 --max-dequeues-per-key 3 --webhook-allow 127.0.0.1"
                      + " --webhook-secret-file secret --stage-backoff 1s --response-days 7 --otlp"
                      + " http://127.0.0.1:1 --access-log - --no-warmup --special-in-text --drain"
                      + " --retain 30d --stop-timeout 60 --log-format json",
                  SERVE + "--exec a=b --exec-env C=d",
                  "serve -d ws --exec a=b --group no-such-group",
                  SERVE + "--exec a=b --config empty.toml --tls-cert keys --tls-key keys",
                  PIPE
                      + "--local-layers 1 --audit 0.1 --step-timeout 5 --max-pipes 2"
                      + " --node-name n --advertise 127.0.0.1:7 --allow a --cache-dir c"
                      + " --join 127.0.0.1:1",
                  SERVE.replace("--no-wait", "--no-http")
                      + "--end-model m.gguf --join 127.0.0.1:1 --cert none --cert-key none --ca"
                      + " none --wait",
                  "serve --store postgresql://127.0.0.1:1/jobs --status",
                  "serve -d ws --status --json",
                  "serve -d none --stop --timeout 5")),
          Map.entry(
              "nrvnad",
              List.of(
                  "nrvnad m.gguf ws --workers 2",
                  "nrvnad none ws --drain",
                  "nrvnad status ws --json",
                  "nrvnad stop none --timeout 5",
                  "nrvnad --version")),
          Map.entry(
              "apikey",
              List.of(
                  "apikey a --file k --scope read --json",
                  "apikey a --file k --remove",
                  "apikey --file k --list")),
          Map.entry(
              "node",
              List.of(
                  "node --name a --listen 192.0.2.1:5000 --advertise 192.0.2.1:5000 --join"
                      + " 192.0.2.2:5000 --key-file net.key --allow b --layers m.gguf:0 --memory"
                      + " 64M --models . --cache-dir c --threads 1 --max-origins 2 --kernels"
                      + " scalar",
                  "node --memory 1G --cert none --cert-key none --ca none",
                  "node --memory 1G --key-file none --config empty.toml")),
          Map.entry(
              "nodes",
              List.of(
                  "nodes --join 127.0.0.1:1 --key-file net.key --watch --json",
                  "nodes --join 127.0.0.1:1 --cert none --cert-key none --ca none",
                  "nodes --join 127.0.0.1:1 --key-file net.key --config empty.toml")),
          Map.entry(
              "pipes",
              List.of(
                  "pipes --join 127.0.0.1:1 --key-file net.key --watch --json",
                  "pipes --join 127.0.0.1:1 --cert none --cert-key none --ca none",
                  "pipes --join 127.0.0.1:1 --key-file net.key --config empty.toml")),
          Map.entry("keygen", List.of("keygen --json")),
          Map.entry("demo", List.of("demo --model none --slots 2 --open --json")),
          Map.entry(
              "verify",
              List.of(
                  "verify -d ws 1_2_3 --model m --stage 1 --task 1 --threads 1 --kernels scalar"
                      + " --json")),
          Map.entry(
              "batch",
              List.of(
                  "batch none.jsonl --model m.gguf --out o --workspace b --fresh --slots 2"
                      + " --threads 1 --ctx 64 --cache q8 --kernels native --memory 1G"
                      + " --special-in-text --json",
                  "batch none.jsonl --model m.gguf --retry-failed")),
          Map.entry(
              "run",
              List.of(
                  "run --model keys x --temp 1 --seed 1 -n 1 --system s --stop s --top-k 1 --top-p"
                      + " 0.5 --min-p 0.1 --repeat-penalty 1 --presence-penalty 0"
                      + " --frequency-penalty 0 --ignore-eos --now 2026-01-31T12:00:00Z --threads 1"
                      + " --ctx 64 --cache q8 --kernels vector --special-in-text --json",
                  "run --model keys x --raw --grammar g.gbnf",
                  "run --model keys x --schema s.json")),
          Map.entry("tokenize", List.of("tokenize --model keys --no-bos --special --json")),
          Map.entry(
              "bench",
              List.of(
                  "bench --model keys --prompt 1 --generate 2 --batch 1 --depth 1 --threads 1"
                      + " --cache q8 --kernels vector --json")),
          Map.entry("move", List.of("move ws other --dry-run --json", "move ws other --delete")),
          Map.entry("models", List.of("models inspect m.gguf --tensors --json")),
          Map.entry("states", List.of("states job --mermaid", "states --json")),
          Map.entry("doctor", List.of("doctor -d ws --port 8080 --json")),
          Map.entry("version", List.of("version --json")),
          Map.entry("help", List.of("help work --json")));

  /** The commands that find their workspace taken. */
  private static final Set<String> OWNED = Set.of("serve", "nrvnad");

  @TempDir Path dir;
  private InProcessCli cli;
  private String pending;
  private String done;

  @BeforeEach
  void open() throws IOException {
    cli = new InProcessCli(dir).env("HOME", dir.toString());
    done = cli.submit("ws", "x");
    InProcessCli.workAll(dir.resolve("ws"));
    pending = cli.submit("ws", "y");
    RandomModelFiles.random(dir.resolve("m.gguf"), 1);
    cli.run("keygen", "net.key");
    ApiKeyFile.add(dir.resolve("keys"), "a", Set.of(KeyScope.READ));
    Files.writeString(dir.resolve("secret"), "x".repeat(16));
    Files.writeString(dir.resolve("empty.toml"), "");
    Files.writeString(dir.resolve("g.gbnf"), "root ::= \"a\"");
    Files.writeString(dir.resolve("s.json"), "{\"type\": \"object\"}");
    Files.writeString(
        dir.resolve("job.json"), "{\"stages\": [{\"type\": \"a\", \"tasks\": [\"b\"]}]}");
  }

  /** All but {@code install}, whose options the launcher reads: {@code InstallTest} tries them. */
  static Stream<String> commands() {
    return Stream.concat(
        CommandRegistry.names().stream().filter(name -> !name.equals("install")),
        Stream.of("nrvnad"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyOptionInTheHelpIsAccepted(String name) {
    Command command = CommandRegistry.find(name);
    Set<String> used = new HashSet<>(List.of(Option.HELP.shown()));
    try (JobStore _ = OWNED.contains(name) ? own() : null) {
      for (String use : USES.getOrDefault(name, List.of())) {
        accepted(use);
        used.addAll(Arrays.asList(use.split(" ", -1)));
      }
    }
    for (Option option : command.syntax().options()) {
      boolean shown = !option.help().isEmpty();
      boolean isUsed = used.contains(option.shown()) || used.contains("-" + option.letter());
      assertThat(isUsed || !shown).as(name + " " + option.shown() + " has an example").isTrue();
    }
  }

  private JobStore own() {
    return Workspace.open(dir.resolve("ws")).own().orElseThrow();
  }

  private void accepted(String use) {
    String[] args = use.replace("ID", pending).replace("DONE", done).split(" ", -1);
    InProcessCli.Result result = cli.run(args);
    assertThat(result.err()).as(use).doesNotContain("See: millrace", "\"code\":\"usage\"");
    if (use.startsWith(SERVE)) {
      assertThat(result.err()).as(use).contains("is owned by"); // so all options were read
    }
    assertThat(result.status()).as(() -> use + " -> " + result).isIn(0, 1, 2);
  }

  /** Options without a text in the help are refused with what to do instead. */
  @Test
  void whatIsNotSupportedIsNotInTheHelp() {
    for (String[] each :
        new String[][] {
          {"work", "ws", "x", "--image", "i.png"},
          {"work", "ws", "x", "--tts"},
          {"nrvnad", "m", "ws", "--mmproj", "p"}
        }) {
      assertThat(cli.run(each).err()).contains("is not supported");
      assertThat(cli.run(each[0], "--help").out())
          .contains("Options:")
          .doesNotContain("not supported", "--image", "--audio", "--tts", "--stt", "--mmproj");
    }
    assertThat(cli.run("node", "--help").out()).doesNotContain("--json");
    assertThat(cli.run("doctor", "--help").out()).doesNotContain("URL");
  }
}

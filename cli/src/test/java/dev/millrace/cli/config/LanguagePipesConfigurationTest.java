package dev.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.args.ArgumentParser;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.cli.network.NodeCommand;
import dev.millrace.cli.options.NodeOptions;
import dev.millrace.cli.serve.ServeCommand;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of Language Pipes as configuration; {@code LanguagePipesIT} starts processes by them. */
class LanguagePipesConfigurationTest extends CommandFixture {
  private static final String KEY = "8f1c02d97ab34e5566d0c9a1b37e42fd";

  /** A node that only has layers. */
  private static final String LAYER_NODE =
      """
      node_id = "node-2"
      peer_port = 5100
      network_ip = "127.0.0.1"
      network_key = "%s"

      [[layer_models]]
      model_id = "Qwen/Qwen3-1.7B"
      device = "cpu"
      memory = 1.5

      [[layer_models]]
      model_id = "meta-llama/Llama-3.2-1B"
      memory = 2

      [[bootstrap_nodes]]
      address = "127.0.0.1"
      port = 5000
      """
          .formatted(KEY);

  /** A node that has an end model and the API. */
  private static final String END_NODE =
      """
      node_id = "node-1"
      job_port = 8000
      api_keys = ["sk-secret-1", "sk-secret-2"]
      max_api_jobs = 3
      network_ip = "127.0.0.1"
      network_key = "%s"
      whitelist_node_ids = ["node-2"]

      [[end_models]]
      model_id = "Qwen/Qwen3-1.7B"
      num_local_layers = 2
      device = "cpu"
      """
          .formatted(KEY);

  private Map<String, List<String>> node(String text, String... words) throws IOException {
    return read(text, new NodeCommand(), NodeOptions.ALL, ConfigurationUse.NODE, words);
  }

  private Map<String, List<String>> server(String text, String... words) throws IOException {
    List<Option> known = ServeCommand.configurable();
    return read(text, new ServeCommand(), known, ConfigurationUse.SERVER, words);
  }

  private Map<String, List<String>> read(
      String text, Command command, List<Option> known, ConfigurationUse reader, String... words)
      throws IOException {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Shell shell =
        new Shell(
            new ByteArrayInputStream(new byte[0]),
            nowhere,
            nowhere,
            Map.of("HOME", dir.toString()),
            dir,
            descriptor -> false);
    ConfigurationFile file = ConfigurationFile.parse(write(text));
    assertThat(file.isLanguagePipes()).isTrue();
    return LanguagePipesFile.options(
            shell, file, ArgumentParser.parse(command.syntax(), words, 0), known, reader)
        .values();
  }

  private Path write(String text) throws IOException {
    return Files.writeString(dir.resolve("pipes.toml"), text);
  }

  private Path model(String name) throws IOException {
    Files.createDirectories(dir.resolve("models"));
    return RandomModelFiles.random(dir.resolve("models").resolve(name), 1);
  }

  @Test
  void aNodeWithLayersIsRead() throws IOException {
    Path qwen = model("Qwen3-1.7B-Q8_0.gguf");
    assertThat(node(LAYER_NODE))
        .containsOnly(
            Map.entry("name", List.of("node-2")),
            Map.entry("listen", List.of("127.0.0.1:5100")),
            Map.entry("join", List.of("127.0.0.1:5000")),
            Map.entry("network_key", List.of(KEY)),
            Map.entry("memory", List.of("3500000000")),
            Map.entry("models", List.of(qwen.toString())));
  }

  @Test
  void aNodeWithAnEndModelIsAServer() throws IOException {
    Path qwen = model("qwen3-1.7b.Q4_K_M.gguf");
    model("Qwen3-1.7B-Base-Q8_0.gguf"); // another model
    Map<String, List<String>> options = server(END_NODE);
    assertThat(options.get("api_keys")).hasSize(2).doesNotContain("sk-secret-1", "sk-secret-2");
    assertThat(options)
        .containsEntry("node-name", List.of("node-1"))
        .containsEntry("listen", List.of("127.0.0.1:5000"))
        .containsEntry("end-model", List.of("Qwen/Qwen3-1.7B=" + qwen))
        .containsEntry("local-layers", List.of("2"))
        .containsEntry("port", List.of("8000"))
        .containsEntry("bind", List.of("0.0.0.0"))
        .containsEntry("slots", List.of("3"))
        .containsEntry("allow", List.of("node-2", "node-2-serve", "node-1", "node-1-serve"))
        .doesNotContainKeys("join", "no-http", "memory");
  }

  @Test
  void aModelIsFoundByAnyOfTheLinksToItsFile() throws IOException {
    Path file = model("A.gguf");
    Path link = dir.resolve("models/Qwen3-1.7B-Q8_0.gguf");
    Files.createSymbolicLink(link, file);
    Path cache = dir.resolve(".cache/huggingface/hub/models--Qwen--Qwen3-1.7B-GGUF");
    Path snapshot = Files.createDirectories(cache.resolve("snapshots/1234"));
    Path cached = Files.createSymbolicLink(snapshot.resolve("Qwen3-1.7B-Q8_0.gguf"), file);
    assertThat(server(END_NODE))
        .as("both links lead to one file")
        .containsEntry("end-model", List.of("Qwen/Qwen3-1.7B=" + link));
    Files.delete(link);
    assertThat(server(END_NODE)).containsEntry("end-model", List.of("Qwen/Qwen3-1.7B=" + cached));
  }

  @Test
  void aServerBesideLayersIsASecondMemberThatJoinsThem() throws IOException {
    model("Qwen3-1.7B.gguf");
    String both = LAYER_NODE + "[[end_models]]\nmodel_id = \"Qwen/Qwen3-1.7B\"\n";
    assertThat(server(both))
        .containsEntry("node-name", List.of("node-2-serve"))
        .containsEntry("listen", List.of("127.0.0.1:0"))
        .containsEntry("join", List.of("127.0.0.1:5100", "127.0.0.1:5000"))
        .as("no job_port: no API")
        .containsEntry("no-http", List.of(""))
        .doesNotContainKeys("port", "memory");
  }

  @Test
  void withoutApiKeysOnlyThisMachineReachesTheApi() throws IOException {
    model("Qwen3-1.7B.gguf");
    assertThat(server(END_NODE.replaceAll("api_keys.*\n", "")))
        .containsEntry("port", List.of("8000"))
        .doesNotContainKey("bind");
  }

  @Test
  void endModelsMayBeAListOfNames() throws IOException {
    Path file = model("m.gguf");
    String named = END_NODE.substring(0, END_NODE.indexOf("[[end_models]]"));
    assertThat(server(named + "end_models = [\"models/m.gguf\"]\n"))
        .containsEntry("end-model", List.of(file.toString()));
  }

  @Test
  void optionsAndKeysOfMillraceReplaceThoseOfLanguagePipes() throws IOException {
    cli.run("keygen", "net.key");
    String text = LAYER_NODE.replaceAll("network_key.*\n", "key-file = \"net.key\"\nthreads = 2\n");
    assertThat(node(text))
        .containsEntry("key-file", List.of("net.key"))
        .containsEntry("threads", List.of("2"))
        .doesNotContainKey("network_key");
    assertThat(node(LAYER_NODE, "--key-file", "net.key")).doesNotContainKey("network_key");
    refused(text + "[other]\n", "there is no key \"other\"");
    refused(
        "key-file = \"net.key\"\n" + LAYER_NODE,
        "line 5: network_key: the file sets key-file too, which means the same; remove one");
  }

  private void refused(String text, String message) {
    assertThatThrownBy(() -> node(text))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining(KEY)
        .hasMessageNotContaining("sk-");
  }

  @Test
  void oneErrorHasAllProblemsInOrderOfLines() throws IOException {
    write(
        """
        node_id = "no name"
        oai_port = 8000
        max_pipes = 1
        model_validation = true
        print_times = false
        prefill_chunk_size = 32
        logging_level = "INFO"
        bootstrap_address = "10.0.0.1"
        bootstrap_port = 5000
        whitelist_ips = []
        max_node_jobs = 10
        api_keys = ["sk-secret", 5, ""]
        jop_port = 8000
        network_key = "sk-1234"
        peer_port = 70000
        end_models = ["nobody/none"]
        [[layer_models]]
        model_id = "nobody/none"
        device = "cuda:0"
        memory = "4"
        data_type = 8
        """);
    InProcessCli.Result result = cli.run("serve", "--config", "pipes.toml");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).doesNotContain("sk-").contains("pipes.toml has 20 problems:\n");
    assertThat(result.err().lines().filter(line -> line.startsWith("  ")).toList())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("  line 1: node_id: a node's name is 1 to 64"),
            line -> assertThat(line).startsWith("  line 2: oai_port: ").endsWith("job_port = N"),
            line -> assertThat(line).startsWith("  line 3: max_pipes: ").contains("max-pipes = N"),
            line -> assertThat(line).startsWith("  line 4: model_validation: ").contains("SHA-256"),
            line -> assertThat(line).startsWith("  line 5: print_times: remove the line"),
            line -> assertThat(line).startsWith("  line 6: prefill_chunk_size: "),
            line -> assertThat(line).startsWith("  line 7: logging_level: ").contains("LOG_LEVEL"),
            line -> assertThat(line).startsWith("  line 8: ").contains("[[bootstrap_nodes]]"),
            line -> assertThat(line).startsWith("  line 9: ").contains("[[bootstrap_nodes]]"),
            line -> assertThat(line).startsWith("  line 10: ").contains("whitelist_node_ids = ["),
            line -> assertThat(line).startsWith("  line 11: ").contains("max-origins = N"),
            line -> assertThat(line).isEqualTo("  line 12: api_keys: " + entry(2)),
            line -> assertThat(line).isEqualTo("  line 12: api_keys: " + entry(3)),
            line -> assertThat(line).endsWith("\"jop_port\"; did you mean job_port?"),
            line ->
                assertThat(line).isEqualTo("  line 14: network_key: a shared key is 32 hex digits"),
            line -> assertThat(line).endsWith("it must be a whole number from 1 to 65534"),
            line -> assertThat(line).startsWith("  line 16: end_models: no GGUF file for"),
            line -> assertThat(line).startsWith("  line 19: layer_models.device: ").contains("cpu"),
            line -> assertThat(line).startsWith("  line 20: layer_models.memory: "),
            line -> assertThat(line).startsWith("  line 21: layer_models.data_type: "));
  }

  private static String entry(int number) {
    return "entry " + number + " must be a text in quotes that is not empty";
  }

  @Test
  void aNetworkWithoutAKeyIsRefused() {
    String missing = LAYER_NODE.replaceAll("network_key.*\n", "");
    refused(missing, "pipes.toml: network_key is missing; links are always encrypted");
    refused(LAYER_NODE.replace(KEY, ""), "line 4: network_key: it is empty; links are always");
    for (String value : List.of("12345", "false", "[\"" + KEY + "\"]", "{a = 1}")) {
      refused(
          LAYER_NODE.replace("\"" + KEY + "\"", value),
          "line 4: network_key: it must be a text in quotes, the network's 32 hex digits");
    }
    refused(
        LAYER_NODE.replace("\"" + KEY + "\"", "null"),
        "this is not TOML: unexpected text, expected ");
    refused(LAYER_NODE.replace("\"" + KEY + "\"", "null"), "; links are always encrypted: write");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00000000000000000000000000000000",
        "000102030405060708090a0b0c0d0e0f",
        "0123456789abcdef0123456789abcdef",
        "00112233445566778899aabbccddeeff",
        "deadbeefdeadbeefdeadbeefdeadbeef"
      })
  void aKeyThatOthersCanGuessIsRefused(String key) {
    refused(LAYER_NODE.replace(KEY, key), "line 4: network_key: this key is a pattern");
  }

  @Test
  void theWrongCommandNamesTheRightOne() throws IOException {
    refused(END_NODE, "end_models: a node holds layers alone; run \"millrace serve --config");
    assertThatThrownBy(() -> server(LAYER_NODE))
        .hasMessageContaining(
            "end_models is missing, so there is nothing to serve; run \"millrace node");
    assertThatThrownBy(() -> server("end_models = []\n" + LAYER_NODE))
        .hasMessageContaining("end_models is missing, so there is nothing to serve");
    assertThat(node("end_models = []\n" + LAYER_NODE)).containsKey("memory");
    String noLayers = LAYER_NODE.substring(0, LAYER_NODE.indexOf("[[layer_models]]"));
    refused(noLayers + "layer_models = []\n", "layer_models is missing; write");
    refused(LAYER_NODE.replace("peer_port", "job_port = 1\npeer_port"), "line 2: job_port: a node");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "network_ip = \"127.0.0.1\" | network_ip = \"192.0.2.7\" | is no address of this machine",
        "network_ip = \"127.0.0.1\" | network_ip = \"0.0.0.0\" | is no address of this machine",
        "address = \"127.0.0.1\" | adress = \"127.0.0.1\" | did you mean address?",
        "address = \"127.0.0.1\" | address = 5 | bootstrap_nodes.address: it must be a text",
        "port = 5000 | port = 0 | bootstrap_nodes.port: it must be a whole number from 1",
        "model_id = \"Qwen/Qwen3-1.7B\" | | model_id is missing in one of them",
        "memory = 2 | memory = -2 | memory must be the number of GB",
      })
  void wrongValuesNameTheRule(String right, String wrong, String message) {
    refused(LAYER_NODE.replace(right, wrong == null ? "" : wrong), message);
  }

  @Test
  void severalFilesOrModelsAreNotGuessedBetween() throws IOException {
    model("Qwen3-1.7B-Q8_0.gguf");
    model("Qwen3-1.7B-BF16.gguf");
    assertThatThrownBy(() -> server(END_NODE)).hasMessageContaining("several GGUF files for");
    assertThatThrownBy(() -> server(END_NODE + "[[end_models]]\nmodel_id = \"house\"\n"))
        .hasMessageContaining("a server has the end of one model");
  }

  @Test
  void anAddressIsFoundIfTheFileHasNone() throws IOException {
    assertThat(node(LAYER_NODE.replaceAll("network_ip.*\n", "")))
        .as("the address that faces the first bootstrap node")
        .containsEntry("listen", List.of("127.0.0.1:5100"));
  }
}

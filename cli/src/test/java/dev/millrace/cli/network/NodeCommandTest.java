package dev.millrace.cli.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.args.ArgumentParser;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.MachineMemory;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NodeMemory;
import dev.millrace.cluster.NodeSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The options of a node; {@code PipesIT} tests running nodes. */
class NodeCommandTest extends CommandFixture {
  private Path model;

  @BeforeEach
  void open() throws IOException {
    cli.run("keygen", "net.key");
    model = RandomModelFiles.random(dir.resolve("m.gguf"), 1);
  }

  private NodeSettings settings(String... words) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Shell shell =
        new Shell(
            new ByteArrayInputStream(new byte[0]),
            nowhere,
            nowhere,
            Map.of("HOME", dir.toString()),
            dir,
            descriptor -> false);
    return NodeCommand.settings(shell, ArgumentParser.parse(new NodeCommand().syntax(), words, 0));
  }

  private void refused(String message, String... words) {
    String[] args = new String[words.length + 1];
    args[0] = "node";
    System.arraycopy(words, 0, args, 1, words.length);
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.toString()).isIn(1, 2);
    boolean json = List.of(words).contains("--json");
    assertThat(result.err()).startsWith(json ? "{\"error\":" : "Error: ").contains(message);
  }

  @Test
  void layerRangesAreInclusive() {
    NodeSettings settings =
        settings(
            "--key-file",
            "net.key",
            "--layers",
            "m.gguf:0-1",
            "--layers",
            "m.gguf:1",
            "--layers",
            "m.gguf");
    assertThat(settings.layers())
        .containsExactly(
            new ConfiguredLayers(model, new LayerRange(0, 2)),
            new ConfiguredLayers(model, new LayerRange(1, 2)),
            new ConfiguredLayers(model, null));
    assertThat(settings.memory())
        .isEqualTo(NodeMemory.forConfiguredLayers(MachineMemory.read().total() / 2));
    assertThat(settings.network().addresses().listen()).isEqualTo(new HostPort("127.0.0.1", 5000));
    assertThat(settings.network().join()).isEmpty();
    assertThat(settings.network().name()).isNotEmpty();
    assertThat(settings.cacheDirectory()).isEqualTo(dir.resolve(".cache/millrace"));
  }

  @Test
  void everyOptionIsUsed() throws IOException {
    Files.createDirectories(dir.resolve("models"));
    NodeSettings settings =
        settings(
            "--name",
            "b",
            "--listen",
            "127.0.0.1:5110",
            "--join",
            "127.0.0.1:5100",
            "--join",
            "localhost:5101",
            "--key-file",
            "net.key",
            "--memory",
            "512M",
            "--models",
            "models",
            "--cache-dir",
            "cache",
            "--threads",
            "3",
            "--allow",
            "a",
            "--allow",
            "c",
            "--max-origins",
            "2",
            "--advertise",
            "10.0.0.5:5110");
    assertThat(settings.network().name()).isEqualTo("b");
    assertThat(settings.network().join())
        .containsExactly(new HostPort("127.0.0.1", 5100), new HostPort("localhost", 5101));
    assertThat(settings.network().addresses().advertise())
        .isEqualTo(new HostPort("10.0.0.5", 5110));
    assertThat(settings.network().trust().whitelist()).containsExactlyInAnyOrder("a", "c");
    assertThat(settings.network().trust().namesFromCertificates()).isFalse();
    assertThat(settings.memory()).isEqualTo(NodeMemory.forRequests(512L << 20));
    assertThat(settings.modelPaths()).containsExactly(dir.resolve("models"));
    assertThat(settings.cacheDirectory()).isEqualTo(dir.resolve("cache"));
    assertThat(settings.threads()).isEqualTo(3);
    assertThat(settings.maxSessions()).isEqualTo(2);
  }

  @Test
  void theConfigurationSuppliesOptionsThatAreNotGiven() throws IOException {
    Files.writeString(
        dir.resolve("b.toml"),
        """
        name = "b"
        listen = "127.0.0.1:5110"
        join = ["127.0.0.1:5100"]
        key-file = "net.key"
        layers = ["m.gguf:0-1"]
        memory = "1G"
        threads = 2
        allow = ["a", "desk"]
        """);
    NodeSettings settings = settings("--config", "b.toml", "--threads", "5");
    assertThat(settings.network().name()).isEqualTo("b");
    assertThat(settings.network().trust().whitelist()).containsExactlyInAnyOrder("a", "desk");
    assertThat(settings.layers())
        .containsExactly(new ConfiguredLayers(model, new LayerRange(0, 2)));
    assertThat(settings.memory()).isEqualTo(NodeMemory.forRequests(1L << 30));
    assertThat(settings.threads()).isEqualTo(5);
  }

  @Test
  void aWrongValueInTheConfigurationIsNamedByItsLine() throws IOException {
    Path file = dir.resolve("b.toml");
    Files.writeString(file, "key-file = \"net.key\"\nmemory = \"much\"\n");
    refused(file + ", line 2: memory must be an amount of memory", "--config", "b.toml");
    Files.writeString(file, "key-file = \"net.key\"\nlayers = \"m.gguf:0-9\"\n");
    refused(file + ", line 2: layers m.gguf:0-9: the model has the layers", "--config", "b.toml");
    Files.writeString(file, "key-file = \"net.key\"\nmemory = \"1G\"\nlisten = \"here\"\n");
    refused(file + ", line 3: listen: \"here\" is no address", "--config", "b.toml");
    Files.writeString(file, "key-file = \"net.key\"\nmemory = \"1G\"\nlisten = \"0.0.0.0:1\"\n");
    refused(file + ", line 3: listen 0.0.0.0:1 is every address", "--config", "b.toml");
    Files.writeString(file, "key-file = \"net.key\"\nmemory = \"1G\"\njoin = \"10.0.0.5:1\"\n");
    refused(file + ", line 3: join: a node at 10.0.0.5:1 cannot", "--config", "b.toml");
    Files.writeString(file, "memroy = \"1G\"\n");
    refused(
        file + ", line 1: there is no key \"memroy\"; did you mean memory?", "--config", "b.toml");
  }

  @Test
  void layersAreOfAnyListedModel() throws IOException {
    Path models = Files.createDirectories(dir.resolve("models"));
    Path tag = RandomModelFiles.random(models.resolve("x:1.gguf"), 1);
    String[] key = {"--key-file", "net.key", "--layers"};
    assertThat(settings(key[0], key[1], key[2], "x:1:0-1").layers())
        .containsExactly(new ConfiguredLayers(tag, new LayerRange(0, 2)));
    assertThat(settings(key[0], key[1], key[2], "x:1").layers())
        .as("a name wins over a range")
        .containsExactly(new ConfiguredLayers(tag, null));
    assertThat(settings(key[0], key[1], key[2], "X:0").layers())
        .containsExactly(new ConfiguredLayers(tag, new LayerRange(0, 1)));
  }

  @Test
  void missingLayersAreRejected() throws IOException {
    refused("the model has the layers 0 to ", "--key-file", "net.key", "--layers", "m.gguf:0-99");
    refused("the first comes before the last", "--key-file", "net.key", "--layers", "m.gguf:1-0");
    refused("there is no such file", "--key-file", "net.key", "--layers", "none.gguf:0-1");
    for (String wrong : new String[] {"a-b", "-1", "", "1-", "1-2-3", "1 - 2"}) {
      refused(
          "\"" + wrong + "\" is not a range of layers; write MODEL:FROM-TO",
          "--key-file",
          "net.key",
          "--layers",
          "m.gguf:" + wrong);
    }
    refused("there is no such file", "--key-file", "net.key", "--layers", "none:a-b");
    Files.writeString(dir.resolve("bad.gguf"), "no model");
    refused("bad.gguf", "--key-file", "net.key", "--layers", "bad.gguf:0-1");
  }

  @Test
  void wrongArgumentsAreRejected() throws IOException {
    refused("this node would hold no layers: pass --layers", "--key-file", "net.key");
    refused("pass --key-file net.key", "--memory", "1G");
    refused("there is no file", "--memory", "1G", "--key-file", "none");
    Files.writeString(dir.resolve("bad.key"), "secret\n");
    refused("is no network key", "--memory", "1G", "--key-file", "bad.key");
    refused(
        "\"a b\" is no name for a node",
        "--memory",
        "1G",
        "--key-file",
        "net.key",
        "--name",
        "a b");
    refused("--allow: \"?\" is no name", "--memory", "1G", "--key-file", "net.key", "--allow", "?");
    refused("is no address", "--memory", "1G", "--key-file", "net.key", "--join", "5000");
    refused("port 0 is no port", "--memory", "1G", "--key-file", "net.key", "--join", "a:0");
    refused("--cert-key is missing", "--memory", "1G", "--cert", "net.key", "--ca", "net.key");
    refused("mutually exclusive", "--memory", "1G", "--key-file", "net.key", "--cert", "net.key");
    refused("--threads must be", "--memory", "1G", "--key-file", "net.key", "--threads", "0");
    refused(
        "--max-origins must be", "--memory", "1G", "--key-file", "net.key", "--max-origins", "0");
    refused(
        "--models: there is nothing at",
        "--memory",
        "1G",
        "--key-file",
        "net.key",
        "--models",
        "no");
    refused("--json: a node prints its log", "--json", "--memory", "1G", "--key-file", "net.key");
    refused("unexpected argument: x", "x");
  }

  /** The option is declared for its error message only; the help does not list it. */
  @Test
  void theHelpDoesNotListRejectedOptions() {
    assertThat(cli.run("node", "--help").out()).contains("--help").doesNotContain("--json");
    assertThat(cli.run("nodes", "--help").out()).contains("--json");
  }

  @Test
  void anUnreachableAddressIsRejected() {
    refused(
        "is every address of this machine: --advertise",
        "--memory",
        "1G",
        "--key-file",
        "net.key",
        "--listen",
        "0.0.0.0:5000");
    refused(
        "cannot reach 127.0.0.1:5000",
        "--memory",
        "1G",
        "--key-file",
        "net.key",
        "--join",
        "10.0.0.5:5000");
  }
}

package dev.millrace.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.internal.gguf.GgufWriter;
import dev.millrace.engine.internal.gguf.MetadataValueType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelsCommandTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  @TempDir Path dir;
  private InProcessCli cli;

  @BeforeEach
  void home() throws IOException {
    Path home = Files.createDirectory(dir.resolve("home"));
    cli =
        new InProcessCli(dir)
            .env("HOME", home.toString())
            .env("OLLAMA_MODELS", home.resolve(".ollama/models").toString());
  }

  private Path model(String path) throws IOException {
    Path file = dir.resolve(path);
    Files.createDirectories(file.getParent());
    new GgufWriter()
        .put("general.architecture", "llama")
        .put("general.name", "tiny \033[2J")
        .put("general.file_type", 15)
        .put("llama.block_count", 2)
        .put("llama.context_length", 512)
        .put("tokenizer.ggml.tokens", "a b c d e f g h i j".split(" "))
        .put("tokenizer.ggml.scores", 1f, Float.NEGATIVE_INFINITY)
        .tensor("token_embd.weight", new long[] {4, 300}, new float[1200])
        .tensor("norm.weight", new long[] {4}, new float[4])
        .write(file);
    return file;
  }

  private void manifest(String path, String text) throws IOException {
    Path file = dir.resolve("home/.ollama/models/manifests").resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private List<JsonObject> listed(String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.err()).isZero();
    return result.lines().stream().map(Json::object).toList();
  }

  @Test
  void modelsBelowADirectoryAreListedWithTheBrokenOnes() throws IOException {
    model("m/good.gguf");
    Files.write(dir.resolve("m/bad.gguf"), new byte[100]);
    InProcessCli.Result result = cli.run("models", "ls", "m");
    assertThat(result.status()).isZero();
    assertThat(result.lines()).hasSize(3);
    assertThat(result.lines().get(1))
        .startsWith("m/bad.gguf ")
        .contains("byte 0: a GGUF file starts");
    assertThat(result.lines().get(2))
        .startsWith("m/good.gguf ")
        .contains("llama", "1.2K", "Q4_K_M", " KiB", dir.resolve("m/good.gguf").toString());
    List<JsonObject> json = listed("models", "ls", "m", "--json");
    assertThat(json.get(0).string("error")).contains("byte 0");
    assertThat(json.get(1).integer("parameters")).isEqualTo(1204);
    assertThat(json.get(1).integer("layers")).isEqualTo(2);
    assertThat(json.get(1).integer("context_length")).isEqualTo(512);
    assertThat(json.get(1).integer("bytes")).isEqualTo(Files.size(dir.resolve("m/good.gguf")));
  }

  @Test
  void aModelIsShownWithAllThatAChoiceNeeds() throws IOException {
    Path file = Files.createDirectories(dir.resolve("models/sub")).resolve("x.gguf");
    RandomModelFiles.random(file, 1);
    model("models/odd.gguf");
    List<String> lines = cli.run("models").lines();
    assertThat(lines.getFirst().split(" +"))
        .containsExactly(
            "NAME",
            "ARCHITECTURE",
            "PARAMETERS",
            "QUANTISATION",
            "SIZE",
            "CONTEXT",
            "FITS",
            "PATH");
    assertThat(lines.get(1)).startsWith("odd ").contains(" - ", dir + "/models/odd.gguf: ");
    assertThat(lines.get(2)).matches("sub/x +llama .* Q8_0 .* MiB +\\d+ +yes +" + file);
    JsonObject json = listed("models", "--json").get(1);
    assertThat(json.string("name")).isEqualTo("sub/x");
    assertThat(json.string("place")).isEqualTo("./models");
    assertThat(json.string("path")).isEqualTo(file.toString());
    assertThat(json.string("fits")).isEqualTo("yes");
    assertThat(json.integer("least_bytes")).isGreaterThan(json.integer("bytes"));
    assertThat(json.integer("serve_bytes")).isGreaterThan(json.integer("least_bytes"));
    assertThat(json.integer("available_bytes")).isPositive();
    assertThat(json.integer("total_bytes")).isPositive();
    assertThat(cli.run("models", "ls", "models/sub").lines().getLast()).startsWith("sub/x ");
    assertThat(cli.run("models", "inspect", "SUB/X").out()).contains(file.toString());
  }

  @Test
  void theUsualDirectoriesAreSearched() throws IOException {
    model("home/.lmstudio/models/pub/repo/a.gguf");
    Path blob = model("hub/models--org--name/blobs/abc");
    Path snapshot = Files.createDirectories(dir.resolve("hub/models--org--name/snapshots/1"));
    Files.createSymbolicLink(snapshot.resolve("b.gguf"), blob);
    model("home/.ollama/models/blobs/sha256-" + DIGEST);
    String layer = "{\"mediaType\":\"application/vnd.ollama.image.%s\",\"digest\":\"sha256:%s\"}";
    String layers =
        "{\"layers\":["
            + layer.formatted("license", "f".repeat(64))
            + ","
            + layer.formatted("model", DIGEST)
            + "]}";
    manifest("registry.ollama.ai/library/llama3/8b", layers);
    manifest("hf.co/someone/thing/latest", layers);
    manifest("registry.ollama.ai/library/llama3/notes.txt", "no json");
    cli.env("HF_HUB_CACHE", dir.resolve("hub").toString());
    assertThat(listed("models", "--json"))
        .extracting(line -> line.string("place") + " " + line.string("name"))
        .containsExactly(
            "ollama hf.co/someone/thing:latest",
            "ollama llama3:8b",
            "lm-studio pub/repo/a",
            "huggingface org/name/b");
    assertThat(cli.run("models", "ls").err()).contains("notes.txt is no manifest");
  }

  @Test
  void anOllamaModelOutsideItsDirectoryIsRejected() throws IOException {
    manifest(
        "h/n/m/t",
        "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
            + "\"digest\":\"sha256:../../secret\"}]}");
    InProcessCli.Result result = cli.run("models");
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("\"sha256:../../secret\" is no digest");
  }

  @Test
  void withoutModelsTheErrorSaysWhatToDo() {
    InProcessCli.Result result = cli.run("models");
    assertThat(result.status()).isZero();
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("models ls DIR");
  }

  @Test
  void aModelIsInspected() throws IOException {
    model("m.gguf");
    InProcessCli.Result result = cli.run("models", "inspect", "m.gguf");
    assertThat(result.status()).isZero();
    assertThat(result.out())
        .contains("architecture    llama", "parameters      1204", "context length  512")
        .contains("10: [a, b, c, d, e, f, g, h, …]")
        .containsPattern("F32 +2 +4816")
        .doesNotContain("token_embd.weight", "\033");
    assertThat(cli.run("models", "inspect", "m.gguf", "--tensors").out())
        .containsPattern("token_embd.weight +F32 +4 x 300 +4800");
  }

  @Test
  void inspectionAsJsonShortensLongArrays() throws IOException {
    model("m.gguf");
    JsonObject out = listed("models", "inspect", "m.gguf", "--json", "--tensors").getFirst();
    assertThat(out.string("name")).isEqualTo("tiny \033[2J");
    assertThat(out.integer("tensor_bytes")).isEqualTo(4816);
    assertThat(out.object("types").object("F32").integer("tensors")).isEqualTo(2);
    JsonObject metadata = out.object("metadata");
    assertThat(metadata.object("tokenizer.ggml.tokens").integer("length")).isEqualTo(10);
    assertThat(metadata.list("tokenizer.ggml.scores")).hasSize(2).last().isEqualTo("-Infinity");
    assertThat(JsonObject.of(out.list("tensors").getFirst(), "tensor").list("shape"))
        .containsExactly(4L, 300L);
  }

  @Test
  void aSplitModelIsOneLine() throws IOException {
    for (int no = 0; no < 2; no++) {
      new GgufWriter()
          .put("split.no", MetadataValueType.UINT16, no)
          .put("split.count", MetadataValueType.UINT16, 2)
          .put("split.tensors.count", MetadataValueType.INT32, 2)
          .tensor("t" + no, new long[] {1}, 1)
          .write(dir.resolve("s-0000" + (no + 1) + "-of-00002.gguf"));
    }
    JsonObject line = listed("models", "ls", ".", "--json").getFirst();
    assertThat(line.string("name")).isEqualTo("s-00001-of-00002.gguf");
    assertThat(line.integer("parameters")).isEqualTo(2);
    assertThat(cli.run("models", "inspect", "s-00002-of-00002.gguf").out())
        .contains("s-00001-of-00002.gguf", "s-00002-of-00002.gguf");
  }

  @Test
  void wrongArgumentsAreRejected() throws IOException {
    model("m.gguf");
    assertThat(cli.run("models", "show").status()).isEqualTo(2);
    assertThat(cli.run("models", "inspect").status()).isEqualTo(2);
    assertThat(cli.run("models", "inspect", "m.gguf", "x").status()).isEqualTo(2);
    assertThat(cli.run("models", "ls", "--tensors").status()).isEqualTo(2);
    assertThat(cli.run("models", "ls", "none").status()).isEqualTo(1);
    InProcessCli.Result missing = cli.run("models", "inspect", "none.gguf");
    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.err()).contains("none.gguf: there is no such file");
    assertThat(cli.run("models", "inspect", ".").err()).contains("is a directory");
  }
}

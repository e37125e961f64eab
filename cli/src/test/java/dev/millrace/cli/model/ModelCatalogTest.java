package dev.millrace.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.command.Shell;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names of all models of a machine. Nothing is opened, so each file has its path as text. */
class ModelCatalogTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  @TempDir Path dir;
  private final Map<String, String> environment = new HashMap<>();
  private final String home = System.getProperty(HouseModel.HOME);

  @BeforeEach
  void emptyMachine() throws IOException {
    environment.put("HOME", dir.resolve("user").toString());
    environment.put("OLLAMA_MODELS", dir.resolve("ollama").toString());
    Files.createDirectories(dir.resolve("here"));
    System.setProperty(HouseModel.HOME, dir.resolve("home").toString());
  }

  @AfterEach
  void restoreHome() {
    if (home == null) {
      System.clearProperty(HouseModel.HOME);
    } else {
      System.setProperty(HouseModel.HOME, home);
    }
  }

  private Shell shell() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return new Shell(
        new ByteArrayInputStream(new byte[0]),
        nowhere,
        nowhere,
        environment,
        dir.resolve("here"),
        _ -> false);
  }

  private Path file(String name) throws IOException {
    Path file = dir.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, name);
  }

  private void link(String name, String to) throws IOException {
    Path link = dir.resolve(name);
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, dir.resolve(to));
  }

  private void ollama(String manifest, String digest) throws IOException {
    file("ollama/blobs/sha256-" + digest);
    Path file = file("ollama/manifests/registry.ollama.ai/library/" + manifest);
    Files.writeString(
        file,
        "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"sha256:"
            + digest
            + "\"}]}");
  }

  /** The names, each checked: {@code --model} takes it, word for word, for this very file. */
  private List<String> names() {
    ModelCatalog catalog = ModelCatalog.of(shell());
    for (ListedModel model : catalog.models()) {
      ModelChoice choice = ModelChoice.of(shell(), model.name());
      assertThat(choice.name()).isEqualTo(model.name());
      assertThat(ModelCatalog.real(choice.file())).isEqualTo(ModelCatalog.real(model.file()));
    }
    return catalog.models().stream().map(ListedModel::name).toList();
  }

  @Test
  void everyPlaceIsSearched() throws IOException {
    file("home/models/house/house.gguf");
    file("home/models/shipped.gguf");
    file("models/beside.gguf");
    file("here/models/mine.gguf");
    file("here/models/a/b/c.GGUF");
    environment.put("MILLRACE_MODELS_DIR", dir.resolve("ours").toString());
    file("ours/ours.gguf");
    environment.put("NRVNA_MODELS_DIR", "../theirs");
    file("theirs/theirs.gguf");
    ollama("tiny/latest", DIGEST);
    file("user/.lmstudio/models/publisher/repository/lm.gguf");
    file("user/.cache/huggingface/hub/models--org--name/blobs/1");
    link(
        "user/.cache/huggingface/hub/models--org--name/snapshots/abc/hf.gguf",
        "user/.cache/huggingface/hub/models--org--name/blobs/1");
    file("user/.cache/llama.cpp/cached.gguf");
    assertThat(names())
        .containsExactly(
            "house",
            "ours",
            "theirs",
            "shipped",
            "beside",
            "a/b/c",
            "mine",
            "tiny:latest",
            "publisher/repository/lm",
            "org/name/hf",
            "cached");
  }

  @Test
  void filesOfOneNameGetDifferentNames() throws IOException {
    file("home/models/house/house.gguf");
    file("here/models/house.gguf");
    environment.put("MILLRACE_MODELS_DIR", "../ours");
    file("ours/x.gguf");
    file("home/models/x.gguf");
    Path third = file("here/models/x.gguf");
    file("user/.lmstudio/models/x.gguf");
    assertThat(names())
        .containsExactly("house", "x", "models/x", "models/house", third.toString(), "lm-studio/x");
  }

  @Test
  void aNameThatIsAFileHereIsNotUsed() throws IOException {
    file("here/x");
    Path model = file("here/models/x.gguf");
    assertThat(names()).containsExactly("models/x");
    file("here/models/x"); // without a suffix it is not listed, but a path
    assertThat(names()).containsExactly(model.toString());
    Files.createDirectories(dir.resolve("here/y"));
    file("here/models/y.gguf");
    assertThat(names()).as("a directory is no model").contains("y");
  }

  @Test
  void aFileWithSeveralPathsHasOneNameAndIsFoundByAll() throws IOException {
    file("here/models/real.gguf");
    link("here/models/a-link.gguf", "here/models/real.gguf");
    link("user/.lmstudio/models/publisher/lm.gguf", "here/models/real.gguf");
    environment.put("NRVNA_MODELS_DIR", "models");
    assertThat(names()).containsExactly("real");
    ModelCatalog catalog = ModelCatalog.of(shell());
    assertThat(catalog.otherNames(catalog.models().getFirst()))
        .containsExactly("a-link", "publisher/lm");
    assertThat(ModelChoice.of(shell(), "publisher/lm").name()).isEqualTo("real");
    assertThat(ModelChoice.of(shell(), "a-").name()).isEqualTo("real");
  }

  @Test
  void everyTagOfOllamaIsAName() throws IOException {
    ollama("tiny/latest", DIGEST);
    ollama("tiny/1b", DIGEST);
    ollama("tinyllama/latest", "f" + DIGEST.substring(1));
    assertThat(names()).containsExactly("tiny:1b", "tiny:latest", "tinyllama:latest");
    assertThat(ModelChoice.of(shell(), "tiny").name()).isEqualTo("tiny:latest");
    assertThat(ModelChoice.of(shell(), "y:").name()).as("one file").isEqualTo("tiny:1b");
    Path blob = dir.resolve("ollama/blobs/sha256-" + DIGEST);
    assertThat(ModelChoice.of(shell(), blob.toString()).name()).isEqualTo("tiny:1b");
  }

  @Test
  void theNewestSnapshotHasTheName() throws IOException {
    String hub = "user/.cache/huggingface/hub/models--org--name/";
    Path old = file(hub + "snapshots/a/m.gguf");
    Path present = file(hub + "snapshots/b/m.gguf");
    Files.setLastModifiedTime(old, FileTime.fromMillis(1_000));
    assertThat(names()).containsExactly("org/name/m", "huggingface/org/name/m");
    assertThat(ModelChoice.of(shell(), "org/name/m").file()).isEqualTo(present);
  }

  @Test
  void whatIsNotListedHasAReason() throws IOException {
    environment.put("MILLRACE_MODELS_DIR", "none");
    file("here/models/mmproj-x.gguf");
    file("here/models/a\u0007b.gguf");
    ModelCatalog catalog = ModelCatalog.of(shell());
    assertThat(catalog.models()).isEmpty();
    assertThat(catalog.problems())
        .containsExactly("MILLRACE_MODELS_DIR is not a directory: " + dir.resolve("here/none"));
    assertThat(catalog.leftOut())
        .anyMatch(line -> line.contains("mmproj-x.gguf is left out: a vision projector"))
        .anyMatch(line -> line.contains("control characters"))
        .hasSize(2);
  }

  @Test
  void receiptsOfEarlierVersionsAreUnderstood() throws IOException {
    Path nested = file("here/models/sub/x.gguf");
    ollama("tiny/latest", DIGEST);
    assertThat(ModelChoice.candidates(shell(), "x")).containsExactly(nested);
    assertThat(ModelChoice.candidates(shell(), "sha256-" + DIGEST))
        .containsExactly(dir.resolve("ollama/blobs/sha256-" + DIGEST));
    assertThat(ModelChoice.candidates(shell(), "tiny:latest")).hasSize(1);
    assertThat(ModelChoice.candidates(shell(), "none")).isEmpty();
  }
}

package dev.millrace.cli.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which file {@code --model} means. Nothing is opened, so the files are empty. */
class ModelChoiceTest {
  @TempDir Path dir;
  private final Map<String, String> environment = new HashMap<>();
  private final String home = System.getProperty(HouseModel.HOME);

  @BeforeEach
  void noHome() {
    System.clearProperty(HouseModel.HOME);
    environment.put("HOME", dir.resolve("user").toString());
    environment.put("OLLAMA_MODELS", dir.resolve("ollama").toString());
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
        new ByteArrayInputStream(new byte[0]), nowhere, nowhere, environment, dir, _ -> false);
  }

  private ModelChoice choose(String text) {
    return ModelChoice.of(shell(), text);
  }

  private Path file(String name) throws IOException {
    Path file = dir.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "");
  }

  @Test
  void aFileIsNamedByItsStem() throws IOException {
    Path file = file("Llama-3.2.Q8_0.gguf");
    assertThat(choose("Llama-3.2.Q8_0.gguf")).isEqualTo(new ModelChoice("Llama-3.2.Q8_0", file));
    assertThat(choose(file.toString()).file()).isEqualTo(file);
    file("big-00001-of-00003.gguf");
    assertThat(choose("big-00001-of-00003.gguf").name()).isEqualTo("big");
    file("without-suffix");
    assertThat(choose("without-suffix").name()).isEqualTo("without-suffix");
  }

  @Test
  void anAliasNamesAPathOrAName() throws IOException {
    Path file = file("models/some.gguf");
    assertThat(choose("fast=models/some.gguf")).isEqualTo(new ModelChoice("fast", file));
    assertThat(choose("fast=some")).isEqualTo(new ModelChoice("fast", file));
    Path odd = file("a=b.gguf");
    assertThat(choose("a=b.gguf")).isEqualTo(new ModelChoice("a=b", odd));
    for (String wrong : new String[] {"=x", "fast=", "a b=models/some.gguf", "-a=x"}) {
      assertThatThrownBy(() -> choose(wrong))
          .as(wrong)
          .isInstanceOf(UsageException.class)
          .hasMessageContaining("neither a file nor ALIAS=PATH");
    }
  }

  @Test
  void aPartOfANameIsTakenIfItIsUnique() throws IOException {
    file("models/mmproj-Tiny.gguf");
    Path b = file("models/sub/tiny-b.gguf");
    Path a = file("models/Tiny-a.gguf");
    file("models/Tiny-a.txt");
    Files.createDirectories(dir.resolve("models/Tiny-Directory.gguf"));
    assertThat(choose("tiny-B")).isEqualTo(new ModelChoice("sub/tiny-b", b));
    assertThat(choose("tiny-B.gguf")).isEqualTo(new ModelChoice("sub/tiny-b", b));
    assertThat(choose("NY-a")).isEqualTo(new ModelChoice("Tiny-a", a));
    assertThatThrownBy(() -> choose("TINY"))
        .isInstanceOf(CommandException.class)
        .hasMessage(
            "\"TINY\" could be any of these models: Tiny-a, sub/tiny-b; name one of them in full");
    assertThat(choose("x=tiny-b").file()).isEqualTo(b);
    assertThatThrownBy(() -> choose("x=tiny")).hasMessageContaining("Tiny-a, sub/tiny-b");
  }

  @Test
  void theWholeNameOfAFileIsTakenBeforeAPart() throws IOException {
    Path small = file("models/publisher/tiny.gguf");
    file("models/tiny-large.gguf");
    assertThat(choose("tiny")).isEqualTo(new ModelChoice("publisher/tiny", small));
    file("models/other/tiny.gguf");
    assertThatThrownBy(() -> choose("tiny"))
        .hasMessageContaining("any of these models: other/tiny, publisher/tiny; name");
  }

  @Test
  void aLongListOfCandidatesIsCut() throws IOException {
    for (int i = 10; i < 35; i++) {
      file("models/m" + i + ".gguf");
    }
    assertThatThrownBy(() -> choose("m"))
        .hasMessageContaining("m10, m11")
        .hasMessageContaining("m29 and 5 more; name one of them in full");
  }

  @Test
  void aListedFileHasItsListedNameHoweverItIsNamed() throws IOException {
    Path file = file("models/sub/x.gguf");
    Path link = Files.createSymbolicLink(dir.resolve("elsewhere.gguf"), file);
    for (String text : new String[] {"sub/x", "x", "models/sub/x.gguf", file.toString()}) {
      assertThat(choose(text).name()).as(text).isEqualTo("sub/x");
    }
    assertThat(choose("elsewhere.gguf")).isEqualTo(new ModelChoice("sub/x", link));
    file("models/big-00001-of-00002.gguf");
    file("models/big-00002-of-00002.gguf");
    assertThat(choose("models/big-00002-of-00002.gguf").name()).isEqualTo("big");
  }

  @Test
  void aPathComesBeforeANameAndANameBeforeAnAlias() throws IOException {
    Path file = file("tiny");
    Path listed = file("models/tiny.gguf");
    assertThat(choose("tiny")).isEqualTo(new ModelChoice("tiny", file));
    assertThat(choose("models/tiny")).isEqualTo(new ModelChoice("models/tiny", listed));
    Path odd = file("models/a=tiny.gguf");
    assertThat(choose("a=tiny")).isEqualTo(new ModelChoice("a=tiny", odd));
    assertThat(choose("b=models/tiny")).isEqualTo(new ModelChoice("b", listed));
  }

  @Test
  void aCloseNameIsSuggested() throws IOException {
    file("models/publisher/Llama-3.2-1B-Q8_0.gguf");
    assertThatThrownBy(() -> choose("llmaa-3.2-1b-q8_0"))
        .hasMessageContaining("did you mean publisher/Llama-3.2-1B-Q8_0?");
    assertThatThrownBy(() -> choose("mistral"))
        .hasMessageContaining("models\" lists all names")
        .message()
        .doesNotContain("did you mean");
  }

  @Test
  void nrvnasRuleTakesTheFirstInOrder() throws IOException {
    file("store/mmproj-Tiny.gguf");
    file("store/tiny-b.gguf");
    Path first = file("store/Tiny-a.gguf");
    Path below = file("store/sub/deep.gguf");
    file("models/tiny-0.gguf");
    environment.put("NRVNA_MODELS_DIR", "store");
    assertThat(nrvna("TINY")).isEqualTo(first.toString());
    assertThat(nrvna("x=tiny-B")).isEqualTo("x=" + dir.resolve("store/tiny-b.gguf"));
    assertThat(nrvna("deep")).as("left to the common rule").isEqualTo("deep");
    assertThat(choose(nrvna("deep")).file()).isEqualTo(below);
    assertThat(nrvna("store/tiny-b.gguf")).isEqualTo("store/tiny-b.gguf");
    assertThat(nrvna("house")).isEqualTo("house");
    Path ours = file("ours/Tiny-z.gguf");
    environment.put("MILLRACE_MODELS_DIR", "ours");
    assertThat(nrvna("tiny")).isEqualTo(ours.toString());
  }

  private String nrvna(String text) {
    return NrvnaModelSearch.option(shell(), text);
  }

  @Test
  void theHouseModelIsInTheInstallation() throws IOException {
    assertThatThrownBy(() -> choose("house"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("-Dmillrace.home is not set");
    System.setProperty(HouseModel.HOME, dir.toString());
    assertThatThrownBy(() -> choose("house"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("the house model is not at " + HouseModel.in(dir));
    Path house = file("models/house/house.gguf");
    assertThat(choose("house")).isEqualTo(new ModelChoice("house", house));
    assertThat(HouseModel.find()).contains(house);
    assertThat(choose("models/house/house.gguf").name()).isEqualTo("house");
    assertThat(choose("story=house")).isEqualTo(new ModelChoice("story", house));
  }

  @Test
  void anUnknownModelNamesTheSearchedDirectories() throws IOException {
    environment.put("MILLRACE_MODELS_DIR", dir.resolve("a").toString());
    assertThatThrownBy(() -> choose("none.gguf"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("there is no such file")
        .hasMessageContaining(dir.resolve("a") + ", " + dir.resolve("models"))
        .hasMessageContaining("\"house\" is the bundled model");
    assertThatThrownBy(() -> choose(".")).hasMessageContaining("is a directory");
    assertThat(dir.resolve("tin").toFile().mkdir()).isTrue();
    file("models/sub/tiny.gguf");
    assertThatThrownBy(() -> choose("tin")).hasMessageContaining("is a directory");
    assertThat(dir.resolve("tiny").toFile().mkdir()).isTrue();
    assertThat(choose("tiny").name()).isEqualTo("sub/tiny");
    assertThatThrownBy(() -> choose("")).isInstanceOf(UsageException.class);
  }
}

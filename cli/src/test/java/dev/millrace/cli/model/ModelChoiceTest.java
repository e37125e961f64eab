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
  void aPartOfANameFindsTheFirstInOrder() throws IOException {
    file("store/mmproj-Tiny.gguf");
    file("store/tiny-b.gguf");
    Path first = file("store/Tiny-a.gguf");
    file("store/Tiny-a.txt");
    Files.createDirectories(dir.resolve("store/Tiny-Directory.gguf"));
    environment.put("NRVNA_MODELS_DIR", dir.resolve("store").toString());
    assertThat(choose("TINY").file()).isEqualTo(first);
    assertThat(choose("tiny-B.gguf").name()).isEqualTo("tiny-b");
    Path link = Files.createSymbolicLink(dir.resolve("store/linked.gguf"), first);
    assertThat(choose("linked").file()).isEqualTo(link);
  }

  @Test
  void directoriesAreSearchedInOrder() throws IOException {
    Path here = file("models/m-here.gguf");
    assertThat(choose("m-").file()).isEqualTo(here);
    System.setProperty(HouseModel.HOME, dir.resolve("home").toString());
    Path shipped = file("home/models/m-shipped.gguf");
    assertThat(choose("m-").file()).isEqualTo(shipped);
    Path theirs = file("theirs/m-theirs.gguf");
    environment.put("NRVNA_MODELS_DIR", "theirs");
    assertThat(choose("m-").file()).isEqualTo(theirs);
    Path ours = file("ours/m-ours.gguf");
    environment.put("MILLRACE_MODELS_DIR", "ours");
    assertThat(choose("m-").file()).isEqualTo(ours);
    assertThat(choose("m-here").file()).isEqualTo(here);
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
  void anUnknownModelNamesTheSearchedDirectories() {
    environment.put("MILLRACE_MODELS_DIR", dir.resolve("a").toString());
    assertThatThrownBy(() -> choose("none.gguf"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("there is no such file")
        .hasMessageContaining(dir.resolve("a") + ", " + dir.resolve("models"));
    assertThatThrownBy(() -> choose(".")).hasMessageContaining("is a directory");
    assertThatThrownBy(() -> choose("")).isInstanceOf(UsageException.class);
  }
}

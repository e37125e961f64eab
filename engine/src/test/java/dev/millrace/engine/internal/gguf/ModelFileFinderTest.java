package dev.millrace.engine.internal.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFileFinderTest {
  @TempDir Path dir;

  private Path file(String path, int bytes) throws IOException {
    Path file = dir.resolve(path);
    Files.createDirectories(file.getParent());
    return Files.write(file, new byte[bytes]);
  }

  private void link(String path, String to) throws IOException {
    Path link = dir.resolve(path);
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, Path.of(to));
  }

  @Test
  void filesAreFoundByTheirNameAtAnyDepth() throws IOException {
    file("b.gguf", 1);
    file("publisher/model/a-Q4_K_M.GGUF", 2);
    file("readme.md", 3);
    file("gguf", 3);
    file(".hidden/c.gguf", 4);
    file("1/2/3/4/5/6/7/deep.gguf", 5);
    file("1/2/3/4/5/6/7/8/deeper.gguf", 6);
    ModelFileFinder.Found found = ModelFileFinder.find(dir);
    assertThat(found.problems()).isEmpty();
    assertThat(found.models())
        .extracting(ModelFileFinder.Model::name, ModelFileFinder.Model::bytes)
        .containsExactly(
            tuple("1/2/3/4/5/6/7/deep", 5L), tuple("b", 1L), tuple("publisher/model/a-Q4_K_M", 2L));
  }

  @Test
  void aSplitModelIsListedOnce() throws IOException {
    file("x/m-00002-of-00003.gguf", 20);
    file("x/m-00001-of-00003.gguf", 10);
    file("x/m-00003-of-00003.gguf", 30);
    file("y/m-00002-of-00003.gguf", 5);
    assertThat(ModelFileFinder.find(dir).models())
        .containsExactly(
            new ModelFileFinder.Model("x/m", dir.resolve("x/m-00001-of-00003.gguf"), 60),
            new ModelFileFinder.Model("y/m", dir.resolve("y/m-00002-of-00003.gguf"), 5));
  }

  @Test
  void theHuggingFaceCacheIsReadThroughItsLinks() throws IOException {
    String model = "hub/models--org--some-model/";
    file(model + "blobs/1234", 7);
    link(model + "snapshots/abc/q8.gguf", "../../blobs/1234");
    link(model + "snapshots/def/q8.gguf", "../../blobs/1234");
    link(model + "snapshots/def/gone.gguf", "../../blobs/none");
    file(".locks/x.gguf", 1);
    assertThat(ModelFileFinder.find(dir.resolve("hub")).models())
        .extracting(ModelFileFinder.Model::name, ModelFileFinder.Model::bytes)
        .containsExactly(tuple("org/some-model/gone", 0L), tuple("org/some-model/q8", 7L));
  }

  @Test
  void linksInCirclesEnd() throws IOException {
    file("a/m.gguf", 1);
    link("a/up", "..");
    link("a/self", "self");
    link("here", "a");
    assertThat(ModelFileFinder.find(dir).models())
        .extracting(ModelFileFinder.Model::file)
        .containsExactly(dir.resolve("a/m.gguf"));
    assertThat(ModelFileFinder.findPaths(dir).models())
        .extracting(ModelFileFinder.Model::name)
        .contains("a/m", "here/m");
  }

  @Test
  void theSearchIsBounded() throws IOException {
    for (int i = 0; i < 20; i++) {
      file("m" + i + ".gguf", 1);
    }
    ModelFileFinder.Found found = ModelFileFinder.find(dir, 10);
    assertThat(found.models()).hasSizeLessThan(11);
    assertThat(found.problems()).singleElement().asString().contains("first 10 entries");
  }

  @Test
  void unreadableDirectoriesAreReported() throws IOException {
    file("a/m.gguf", 1);
    Path closed = Files.createDirectory(dir.resolve("closed"));
    Files.setPosixFilePermissions(closed, Set.of());
    assumeFalse(Files.isReadable(closed), "this user may read everything");
    ModelFileFinder.Found found = ModelFileFinder.find(dir);
    assertThat(found.models()).hasSize(1);
    assertThat(found.problems()).singleElement().asString().contains("closed");
  }

  @Test
  void aMissingDirectoryIsReportedAsAProblem() {
    assertThat(ModelFileFinder.find(dir.resolve("none")).problems()).hasSize(1);
  }
}

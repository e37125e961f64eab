package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.engine.internal.gguf.Gguf;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fetching whole models, by whatever name. */
@Tag("slow")
final class ModelFetchTest extends ModelFetchFixture {
  @Test
  void aModelComesFromAPeerAndIsKnownAtTheNextStart() throws IOException {
    LoopbackPeers.Answering peer = honest("a");
    Path fetched = run(peer.peer());
    isThere(fetched);
    assertThat(fetched)
        .isEqualTo(dir.resolve("cache/org_m-" + wanted.sha256().substring(0, 8) + ".gguf"));
    assertThat(peer.sent().get()).isLessThan(wanted.bytes() + WORDS);
    target.close();
    target = store("cache");
    assertThat(target.sha256(fetched)).isEqualTo(wanted.sha256());
    assertThat(run()).as("without any peer").isEqualTo(fetched);
  }

  @Test
  void aSplitModelComesInItsParts() throws IOException {
    List<Path> parts = ModelFilesForTests.split(dir.resolve("split"), "s", 3, CHUNK / 2 + 12_345);
    wanted =
        new ModelFetch.WantedModel(
            source.sha256(parts.get(1)), "s-00001-of-00003.gguf", ModelFilesForTests.bytes(parts));
    Path fetched = run(breaking("b", CHUNK + WORDS).peer(), honest("a").peer());
    assertThat(fetched.getParent().getFileName())
        .hasToString("s-" + wanted.sha256().substring(0, 8));
    try (var gguf = Gguf.open(fetched)) {
      assertThat(gguf.files()).hasSize(3);
      for (int i = 0; i < 3; i++) {
        assertThat(gguf.files().get(i)).hasSameBinaryContentAs(parts.get(i));
      }
    }
    target.close();
    target = store("cache");
    assertThat(target.sha256(fetched)).isEqualTo(wanted.sha256());
  }

  @Test
  void aNameWithSlashesStaysInTheCache() throws IOException {
    for (String name : List.of("../../../etc/passwd", "..", "", "a\0b\nc", "/", "x".repeat(500))) {
      wanted = new ModelFetch.WantedModel(wanted.sha256(), name, wanted.bytes());
      target.close();
      target = store("cache" + Math.abs(name.hashCode()));
      Path fetched = run(honest("a").peer());
      assertThat(fetched.getParent()).isEqualTo(target.cache());
      assertThat(fetched.getFileName().toString()).matches("[A-Za-z0-9_][A-Za-z0-9._-]{1,115}");
    }
    assertThatThrownBy(() -> new ModelFetch.WantedModel("../" + "a".repeat(61), "m", 1))
        .isInstanceOf(ClusterException.class);
  }
}

package dev.millrace.cli.documents;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Runs the examples of every document but those that have a test of their own. */
@ResourceLock(ExampleRun.PORTS)
class DocumentExamplesIT {
  /** {@link ReadmeIT} and {@link OperationsIT} run these, and check more than that they work. */
  private static final Set<Path> OWN_TEST =
      Set.of(Path.of("README.md"), Path.of("docs/operations.md"));

  @TempDir Path dir;

  @TestFactory
  Stream<DynamicTest> everyExampleRunsAsTyped() throws IOException {
    return RepositoryDocuments.below(ExampleRun.ROOT).stream()
        .filter(document -> !OWN_TEST.contains(document.file()))
        .filter(document -> !DocumentExample.of(document).isEmpty())
        .map(
            document ->
                DynamicTest.dynamicTest(
                    document.file().toString(), () -> ExampleRun.of(document, scratch(document))));
  }

  private Path scratch(MarkdownDocument document) {
    return dir.resolve(document.file().getFileName().toString().replace(".md", ""));
  }
}

package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.documents.BlockLanguageCheck;
import dev.millrace.cli.documents.ClassNameCheck;
import dev.millrace.cli.documents.CommandCheck;
import dev.millrace.cli.documents.DocumentExample;
import dev.millrace.cli.documents.DocumentFinding;
import dev.millrace.cli.documents.LinkCheck;
import dev.millrace.cli.documents.MarkdownDocument;
import dev.millrace.cli.documents.RepositoryDocuments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the documents against this repository: links and anchors, commands and options, and the
 * names of classes.
 */
class DocumentsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Options of java and of {@code bench/run}, and of examples that name no program. */
  private static final Set<String> FOREIGN_OPTIONS =
      Set.of(
          "--add-modules",
          "--enable-native-access",
          "--rounds",
          "--client",
          "--apart",
          "--connections",
          "--skip",
          "--na");

  /** Words in code font that look like a class: of HTTP, systemd, other libraries, suffixes. */
  private static final Set<String> FOREIGN_CLASSES =
      Set.of(
          "Host",
          "Accept",
          "Origin",
          "Manager",
          "Helper",
          "Util",
          "Impl",
          "NullMarked",
          "OnFailure",
          "OnCalendar",
          "RandomizedDelaySec");

  @TempDir Path dir;

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    LinkCheck check = new LinkCheck(ROOT);
    List<DocumentFinding> findings = new ArrayList<>();
    for (MarkdownDocument document : documents()) {
      findings.addAll(check.check(document));
    }
    assertThat(findings).isEmpty();
  }

  @Test
  void everyCommandAndOptionExists() throws IOException {
    List<DocumentFinding> findings = new ArrayList<>();
    for (MarkdownDocument document : documents()) {
      findings.addAll(commandCheck().check(document));
    }
    assertThat(findings).isEmpty();
  }

  @Test
  void everyNamedClassExists() throws IOException {
    ClassNameCheck check = new ClassNameCheck(ROOT, FOREIGN_CLASSES);
    List<DocumentFinding> findings = new ArrayList<>();
    for (MarkdownDocument document : documents()) {
      String file = document.file().toString();
      if (Set.of("ARCHITECTURE.md", "CONTRIBUTING.md").contains(file) || file.startsWith("docs/")) {
        findings.addAll(check.check(document));
      }
    }
    assertThat(findings).isEmpty();
  }

  @Test
  void everyBlockSaysWhatItIs() throws IOException {
    List<DocumentFinding> findings = new ArrayList<>();
    for (MarkdownDocument document : documents()) {
      findings.addAll(BlockLanguageCheck.check(document));
    }
    assertThat(findings).isEmpty();
  }

  @Test
  void deadLinksAreReported() throws IOException {
    Files.writeString(dir.resolve("other.md"), "# Two `words`, one\n\n## Again\n## Again\n");
    Files.writeString(
        dir.resolve("a.md"),
        """
        # Here
        [ok](other.md), [ok](other.md#two-words-one), [ok](#here), [ok](https://example.com/x)
        [ok](other.md#again-1), `[code](none.md)`, [`ok`](other.md)
        [dead](none.md), [dead](other.md#again-2)

        ```sh
        echo "[block](none.md)"
        ```
        [dead](#nowhere)
        [ref]: gone/file.txt
        [outside](../up.md)
        """);
    assertThat(new LinkCheck(dir).check(MarkdownDocument.read(dir, Path.of("a.md"))))
        .extracting(DocumentFinding::toString)
        .containsExactlyInAnyOrder(
            "a.md:4: link \"none.md\": no such file: none.md",
            "a.md:4: link \"other.md#again-2\": no heading #again-2 in other.md",
            "a.md:9: link \"#nowhere\": no heading #nowhere in a.md",
            "a.md:10: link \"gone/file.txt\": no such file: gone/file.txt",
            "a.md:11: link \"../up.md\": leads out of the repository");
  }

  @Test
  void unknownCommandsAndOptionsAreReported() {
    assertThat(
            commandCheck()
                .check(
                    document(
                        """
                        Say `millrace serve --drain`, `serve --drainn`, `kill -9`, `flow`.
                        Alone `--model F` or `--modell F`; a span over
                        two lines: `millrace
                        flows ws`, or `millrace COMMAND --help`.

                        | `work DIR\\|URL --job F` | `work --jobb F` |

                        ```sh
                        ./millrace frobnicate     # ./millrace in a comment
                        id=$(./millrace work ws "a -x prompt" --tag \\
                          t --color) && for i in 1; do ../millrace flow ws "$id" -w -q; done
                        ./millrace work ws -- --not-an-option
                        ./millrace serve --exec='tr -d x' --slots=2 --status=|cat
                        ```
                        ```json
                        "./millrace nothing"
                        ```
                        """)))
        .extracting(DocumentFinding::toString)
        .containsExactlyInAnyOrder(
            "a.md:1: millrace serve has no option --drainn",
            "a.md:2: no command has the option --modell",
            "a.md:3: unknown command: millrace flows",
            "a.md:6: millrace work has no option --jobb",
            "a.md:9: unknown command: millrace frobnicate",
            "a.md:10: millrace work has no option --color",
            "a.md:11: millrace flow has no option -q");
  }

  @Test
  void unknownClassesAreReported() throws IOException {
    ClassNameCheck check = new ClassNameCheck(ROOT, FOREIGN_CLASSES);
    assertThat(
            check.check(
                document(
                    """
                    `DocumentsTest`, `cli.DocumentsTest`, `Main.main(args)`, `Math.exp`, `DONE`
                    `DocumentTest`, `core.DocumentsTest`, `Main.mane`
                    `dev.millrace.cli`, `dev.millrace.clip`, `CommandRegistry.Entry`
                    """)))
        .extracting(DocumentFinding::toString)
        .containsExactly(
            "a.md:2: no class DocumentTest",
            "a.md:2: no class DocumentsTest in a package core",
            "a.md:2: no mane in class Main",
            "a.md:3: no package dev.millrace.clip");
  }

  @Test
  void blocksThatHideAnExampleAreReported() {
    assertThat(
            BlockLanguageCheck.check(
                document(
                    """
                    ```sh
                    millrace jobs ws
                    ```
                    ```output
                    JOB …
                    ```
                    ```output
                    alone
                    ```
                    ```console
                    $ systemctl stop millrace
                    ```
                    ```console
                    systemctl stop millrace
                    ```
                    ```
                    bare
                    ```
                    ```bash
                    millrace jobs ws
                    ```
                    ```text
                    $ millrace jobs ws
                    ```
                    """)))
        .extracting(DocumentFinding::toString)
        .satisfiesExactly(
            finding ->
                assertThat(finding).isEqualTo("a.md:7: output without an sh block before it"),
            finding -> assertThat(finding).startsWith("a.md:13: a console block begins with a"),
            finding -> assertThat(finding).startsWith("a.md:16: a block of the language \"\": say"),
            finding -> assertThat(finding).startsWith("a.md:19: a block of the language \"bash\""),
            finding ->
                assertThat(finding).startsWith("a.md:22: a command in a block that no test"));
  }

  @Test
  void shownOutputIsCompared() {
    DocumentExample example =
        DocumentExample.of(
                document(
                    """
                    ```sh
                    millrace flow ws
                    ```
                    Text `between`.
                    ```output
                    queued: … 0
                    done: … 2
                    ```
                    ```sh
                    true
                    ```
                    """))
            .getFirst();
    assertThat(example.missingFrom("log line\nqueued:     0\nother\ndone:     2\n")).isEmpty();
    assertThat(example.missingFrom("done:     2\nqueued:     0\n")).contains("done: … 2");
    assertThat(example.missingFrom("")).contains("queued: … 0");
  }

  private static CommandCheck commandCheck() {
    return new CommandCheck(CommandRegistry::find, CommandRegistry.names(), FOREIGN_OPTIONS);
  }

  private static MarkdownDocument document(String text) {
    return MarkdownDocument.parse(Path.of("a.md"), text);
  }

  private static List<MarkdownDocument> documents() throws IOException {
    List<MarkdownDocument> documents = RepositoryDocuments.below(ROOT);
    assertThat(documents).as("documents below " + ROOT).hasSizeGreaterThan(10);
    return documents;
  }
}

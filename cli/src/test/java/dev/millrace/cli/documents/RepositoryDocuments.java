package dev.millrace.cli.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds the Markdown files of the repository. */
public final class RepositoryDocuments {
  private RepositoryDocuments() {}

  /** The documents at the top, and all below the folders that have some, sorted by name. */
  public static List<MarkdownDocument> below(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> top = Files.list(root)) {
      files.addAll(top.toList());
    }
    for (String folder : List.of("docs", "examples", "models", "training")) {
      try (Stream<Path> all = Files.walk(root.resolve(folder))) {
        files.addAll(all.toList());
      }
    }
    List<MarkdownDocument> documents = new ArrayList<>();
    for (Path file : files.stream().sorted().toList()) {
      if (file.toString().endsWith(".md")) {
        documents.add(MarkdownDocument.read(root, root.relativize(file)));
      }
    }
    return documents;
  }
}

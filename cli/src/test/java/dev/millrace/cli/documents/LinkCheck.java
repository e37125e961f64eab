package dev.millrace.cli.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks that every relative link leads to a file of the repository, and its anchor to a heading.
 */
public final class LinkCheck {
  private static final Pattern ABSOLUTE = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*:.*|//.*");

  private final Path root;
  private final Map<Path, MarkdownDocument> documents = new HashMap<>();

  public LinkCheck(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  public List<DocumentFinding> check(MarkdownDocument document) {
    List<DocumentFinding> findings = new ArrayList<>();
    for (MarkdownDocument.Link link : document.links()) {
      String problem = problem(document, link.target());
      if (problem != null) {
        findings.add(
            new DocumentFinding(
                document.file(), link.line(), "link \"" + link.target() + "\": " + problem));
      }
    }
    return findings;
  }

  private @Nullable String problem(MarkdownDocument document, String target) {
    if (ABSOLUTE.matcher(target).matches()) {
      return null;
    }
    int hash = target.indexOf('#');
    String path = decoded(hash < 0 ? target : target.substring(0, hash));
    Path file = path.isEmpty() ? document.file() : resolve(document.file(), path);
    if (file.startsWith("..")) {
      return "leads out of the repository";
    }
    if (!path.isEmpty() && !Files.exists(root.resolve(file))) {
      return "no such file: " + file;
    }
    if (hash < 0 || !file.toString().endsWith(".md")) {
      return null;
    }
    String anchor = decoded(target.substring(hash + 1));
    MarkdownDocument there = path.isEmpty() ? document : read(file);
    return there.anchors().contains(anchor) ? null : "no heading #" + anchor + " in " + file;
  }

  private Path resolve(Path from, String path) {
    Path folder = root.resolve(from).getParent();
    return path.startsWith("/")
        ? Path.of(path.substring(1)).normalize()
        : root.relativize(folder.resolve(path).normalize());
  }

  private MarkdownDocument read(Path file) {
    return documents.computeIfAbsent(
        file,
        missing -> {
          try {
            return MarkdownDocument.read(root, missing);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}

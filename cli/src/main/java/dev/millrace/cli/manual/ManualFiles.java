package dev.millrace.cli.manual;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes man pages and completions in the layout of a directory {@code share}. */
public final class ManualFiles {
  private static final String BASH = "bash-completion/completions/";
  private static final String FISH = "fish/vendor_completions.d/";

  private final Path share;

  private ManualFiles(Path share) {
    this.share = share;
  }

  /** Writes the files of all commands below {@code share}; pages of earlier ones go. */
  public static void write(Path share, List<ManualEntry> entries, String version)
      throws IOException {
    ManualFiles files = new ManualFiles(share);
    files.deletePages();
    files.page("millrace", ManPage.ofProgram(entries, version));
    files.file(BASH + "millrace", BashCompletion.of(entries));
    files.file("zsh/site-functions/_millrace", ZshCompletion.of(entries));
    files.file(FISH + "millrace.fish", FishCompletion.of(entries));
    for (ManualEntry entry : entries) {
      String name = "millrace-" + entry.name();
      files.page(name, ManPage.of(entry, version));
      String program = entry.program();
      if (!program.isEmpty()) {
        files.page(program, ManPage.link(name));
        // bash, too, finds a completion by the name of its program
        files.file(BASH + program, ". \"${BASH_SOURCE[0]%/*}/millrace\"\n");
        files.file(FISH + program + ".fish", FishCompletion.ofProgram(entry, entries));
      }
    }
  }

  private void deletePages() throws IOException {
    Path pages = Files.createDirectories(share.resolve("man/man1"));
    try (DirectoryStream<Path> old = Files.newDirectoryStream(pages, "millrace*.1")) {
      for (Path page : old) {
        Files.delete(page);
      }
    }
  }

  private void page(String name, String text) throws IOException {
    file("man/man1/" + name + ".1", text);
  }

  private void file(String name, String text) throws IOException {
    Path file = share.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}

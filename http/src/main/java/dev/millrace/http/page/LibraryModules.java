package dev.millrace.http.page;

import java.util.List;

/**
 * The ES modules of a library that the page imports, out of its WebJar. The version is found on the
 * class path: only the build says which one it is.
 *
 * @param name as modules import it, such as {@code @lit/reactive-element}
 * @param main the module that the bare name stands for
 * @param webJar the name of its WebJar
 * @param version the version of the WebJar
 * @param folder the WebJar's files of that version
 */
record LibraryModules(
    String name, String main, String webJar, String version, ClassPathFolder folder) {
  private static final String WEBJARS = "META-INF/resources/webjars/";

  /** Variants of the modules for other purposes than a browser in production. */
  private static final List<String> OTHERS = List.of("development/", "node/");

  /** All libraries of the page: Lit and what it is made of. */
  static List<LibraryModules> find() {
    return List.of(
        find("lit", "index.js", "lit"),
        find("lit-html", "lit-html.js", "lit-html"),
        find("lit-element", "index.js", "lit-element"),
        find("@lit/reactive-element", "reactive-element.js", "lit__reactive-element"));
  }

  private static LibraryModules find(String name, String main, String webJar) {
    ClassPathFolder all =
        ClassPathFolder.find(WEBJARS + webJar).orElseThrow(() -> missing(webJar, "no such WebJar"));
    String at =
        all.files().stream()
            .filter(file -> file.matches("[^/]+/" + main))
            .findFirst()
            .orElseThrow(() -> missing(webJar, "no " + main));
    String version = at.substring(0, at.indexOf('/'));
    List<String> modules =
        all.files().stream()
            .filter(file -> file.startsWith(version + "/"))
            .map(file -> file.substring(version.length() + 1))
            .filter(LibraryModules::isServed)
            .toList();
    return new LibraryModules(
        name, main, webJar, version, new ClassPathFolder(all.root() + "/" + version, modules));
  }

  private static boolean isServed(String file) {
    return file.endsWith(".js") && OTHERS.stream().noneMatch(file::startsWith);
  }

  private static IllegalStateException missing(String webJar, String what) {
    return new IllegalStateException(
        "the class path has " + what + ": org.webjars.npm:" + webJar + " is missing");
  }

  /** Where its modules are below {@code /page}: another version has other addresses. */
  String path() {
    return "lib/" + webJar + "/" + version + "/";
  }
}

// Runs google-java-format over every module's sources. It borrows the parser of the JDK it runs on, and Maven may run
// on one that is too old for our syntax; so the build starts it on the toolchain's JDK instead of inside Maven.

void main(String... options) throws IOException {
  var arguments = new ArrayList<>(List.of(options));
  try (var modules = Files.newDirectoryStream(Path.of(""), it -> Files.isDirectory(it.resolve("src")))) {
    for (Path module : modules) {
      try (var files = Files.walk(module.resolve("src"))) {
        files.map(Path::toString).filter(it -> it.endsWith(".java")).forEach(arguments::add);
      }
    }
  }
  var formatter = ToolProvider.findFirst("google-java-format").orElseThrow();
  int status = formatter.run(System.out, System.err, arguments.toArray(String[]::new));
  if (status != 0) {
    IO.println("The sources above are not formatted; to format them: mvn -Pformat");
  }
  System.exit(status);
}

package dev.millrace.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrows between modules point down only; only {@code cli} names a concrete store. */
class ModuleBoundariesTest {
  private static final JavaClasses MILLRACE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(
              location -> !location.contains("-tests.jar")) // the engine's random models
          .importPackages("dev.millrace");

  /** Rules over classes that were not found, or could not be read, would all pass. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "core.job",
        "store.fs",
        "engine.gguf",
        "cluster.wire",
        "client",
        "server.http",
        "cli"
      })
  void everyModuleIsSeen(String module) {
    assertThat(MILLRACE.containPackage("dev.millrace." + module)).isTrue();
  }

  @Test
  void coreStandsOnTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage("dev.millrace.core..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("dev.millrace.core..", "java..", "org.jspecify..")
        .check(MILLRACE);
  }

  @Test
  void embeddedStoreKnowsCoreOnly() {
    classes()
        .that()
        .resideInAPackage("dev.millrace.store.fs..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.millrace.store.fs..", "dev.millrace.core..", "java..", "org.jspecify..")
        .check(MILLRACE);
  }

  /** Whoever writes a worker takes this one module, and core with it. */
  @Test
  void clientKnowsCoreOnly() {
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.client..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.millrace.store..",
            "dev.millrace.engine..",
            "dev.millrace.server..",
            "dev.millrace.cli..")
        .check(MILLRACE);
  }

  /** A command on a directory starts without what HTTP needs. */
  @ParameterizedTest
  @ValueSource(strings = {"dev.millrace.client..", "java.net.http.."})
  void onlyOneClassOfCliKnowsTheClient(String packages) {
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.cli..")
        .and()
        .doNotHaveSimpleName("RemotePlace")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(packages)
        .check(MILLRACE);
  }

  /** The faces know jobs, the listener below them knows the web server. */
  @Test
  void facesDoNotKnowTheWebServer() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.millrace.server.http.jobnik..",
            "dev.millrace.server.http.so1..",
            "dev.millrace.server.http.hooks..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.helidon..")
        .check(MILLRACE);
  }

  @Test
  void onlyCliNamesAStore() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.millrace.store..", "dev.millrace.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.millrace.store..")
        .check(MILLRACE);
  }

  /** Work and tokens meet in the server, not below it. */
  @Test
  void engineKnowsNoJobs() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.millrace.engine..", "dev.millrace.cluster..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.millrace.core..",
            "dev.millrace.store..",
            "dev.millrace.client..",
            "dev.millrace.server..",
            "dev.millrace.cli..")
        .check(MILLRACE);
  }

  @Test
  void engineStandsOnTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage("dev.millrace.engine..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.millrace.engine..", "java..", "jdk.incubator.vector..", "org.jspecify..")
        .check(MILLRACE);
  }

  /** The membership library is seen by one package: another library would be another package. */
  @Test
  void clusterKnowsTheEngineOnly() {
    classes()
        .that()
        .resideInAPackage("dev.millrace.cluster..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.millrace.cluster..",
            "dev.millrace.engine..",
            "org.jgroups..",
            "java..",
            "javax..",
            "org.jspecify..")
        .check(MILLRACE);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.millrace.cluster.member..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.jgroups..")
        .check(MILLRACE);
  }

  /** A server has models; where their layers are is not its business. */
  @Test
  void onlyCliKnowsTheCluster() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.millrace.cluster..", "dev.millrace.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.millrace.cluster..")
        .check(MILLRACE);
  }

  /** A command that reads no configuration starts without the parser. */
  @Test
  void onlyOneClassOfCliKnowsToml() {
    noClasses()
        .that()
        .doNotHaveSimpleName("Configuration")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.tomlj..")
        .check(MILLRACE);
  }

  @Test
  void modulesFormNoCycle() {
    slices().matching("dev.millrace.(*)..").should().beFreeOfCycles().check(MILLRACE);
  }

  @Test
  void packagesAreNamedByWhatTheyDo() {
    noClasses()
        .should()
        .resideInAnyPackage("dev.millrace..util..", "dev.millrace..common..")
        .check(MILLRACE);
  }

  @Test
  void classesAreNamedByWhatTheyDo() {
    noClasses().should().haveNameMatching(".*(Manager|Helper|Utils?|Impl)(\\$.*)?").check(MILLRACE);
  }

  /** A library that prints or configures logging decides for its host. */
  @Test
  void onlyCliSpeaksToTheTerminal() {
    var library = noClasses().that().resideOutsideOfPackage("dev.millrace.cli..").should();
    library.accessField(System.class, "out").check(MILLRACE);
    library.accessField(System.class, "err").check(MILLRACE);
    library.dependOnClassesThat().resideInAPackage("java.util.logging..").check(MILLRACE);
  }
}

package dev.millrace.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.Timer;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which module may use which, and that packages of a module depend one way. */
@Tag("slow")
class ModuleBoundariesTest {
  private static final JavaClasses MILLRACE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("-tests.jar")) // shared test fixtures
          .importPackages("dev.millrace");

  /** A module with what it may use: packages of other modules, and third-party ones. */
  private enum Module {
    CORE("core"),
    STORE_FS("store.fs", "dev.millrace.core.."),
    STORE_POSTGRES(
        "store.postgres", "dev.millrace.core..", "com.zaxxer.hikari..", "org.postgresql.."),
    ENGINE("engine", "jdk.incubator.vector.."),
    TLS("tls"),
    CLUSTER("cluster", "dev.millrace.engine..", "dev.millrace.tls..", "org.jgroups.."),
    API("api", "dev.millrace.core.."),
    CLIENT(
        "client",
        "dev.millrace.core..",
        "dev.millrace.api..",
        "io.github.resilience4j..",
        "io.prometheus.."),
    SERVER("server", "dev.millrace.core..", "dev.millrace.engine..", "com.sun.management.."),
    HTTP(
        "http",
        "dev.millrace.core..",
        "dev.millrace.api..",
        "dev.millrace.tls..",
        "dev.millrace.server..",
        "dev.millrace.engine.toolcall..",
        "io.helidon..",
        "io.prometheus..",
        "io.opentelemetry.."),
    CLI("cli", "dev.millrace..", "org.tomlj..", "sun.misc..", "com.sun.management..");

    private final String root;
    private final List<String> uses;

    Module(String name, String... uses) {
      this.root = "dev.millrace." + name;
      this.uses = List.of(uses);
    }

    String packages() {
      return root + "..";
    }

    boolean has(JavaClass type) {
      return (type.getPackageName() + ".").startsWith(root + ".");
    }
  }

  /** Rules over classes that were not found, or could not be read, would all pass. */
  @ParameterizedTest
  @EnumSource
  void everyModuleIsSeen(Module module) {
    assertThat(MILLRACE.stream().filter(module::has)).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void moduleUsesNothingElse(Module module) {
    List<String> allowed = new ArrayList<>(module.uses);
    allowed.addAll(List.of(module.packages(), "java..", "javax..", "org.jspecify.."));
    classes()
        .that()
        .resideInAPackage(module.packages())
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(allowed.toArray(String[]::new))
        .check(MILLRACE);
  }

  @Test
  void modulesFormNoCycle() {
    slices().matching("dev.millrace.(*)..").should().beFreeOfCycles().check(MILLRACE);
  }

  @ParameterizedTest
  @EnumSource
  void packagesOfAModuleFormNoCycle(Module module) {
    slices().assignedFrom(new PackagesOf(module)).should().beFreeOfCycles().check(MILLRACE);
  }

  private record PackagesOf(Module module) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return module.has(type)
          ? SliceIdentifier.of(type.getPackageName())
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "packages of " + module.root;
    }
  }

  /** Users of a jar see every type that its API names; those of an internal package may change. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLI")
  void apiShowsNoInternalTypes(Module module) {
    Set<String> shown = new TreeSet<>();
    for (JavaClass type : MILLRACE) {
      if (module.has(type) && isApi(type)) {
        for (JavaCodeUnit unit : type.getCodeUnits()) {
          if (isShown(unit.getModifiers())) {
            note(shown, unit.getFullName(), unit.getRawReturnType());
            unit.getRawParameterTypes().forEach(it -> note(shown, unit.getFullName(), it));
          }
        }
        for (JavaField field : type.getFields()) {
          if (isShown(field.getModifiers())) {
            note(shown, field.getFullName(), field.getRawType());
          }
        }
      }
    }
    assertThat(shown).isEmpty();
  }

  private static boolean isApi(JavaClass type) {
    return !isInternal(type)
        && type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ModuleBoundariesTest::isApi).orElse(true);
  }

  private static boolean isShown(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }

  private static boolean isInternal(JavaClass type) {
    return (type.getBaseComponentType().getPackageName() + ".").contains(".internal.");
  }

  private static void note(Set<String> shown, String member, JavaClass type) {
    if (isInternal(type)) {
      shown.add(member + " shows " + type.getName());
    }
  }

  /** Our modules that use another's internal packages change with it; nobody else does. */
  @ParameterizedTest
  @CsvSource({
    "core, store.fs store.postgres server http cli",
    "engine, cluster server cli",
    "store.fs, ''",
    "store.postgres, ''",
    "cluster, ''",
    "client, ''",
    "server, ''"
  })
  void internalPackagesHaveKnownUsers(String module, String users) {
    List<String> allowed = new ArrayList<>(List.of("dev.millrace." + module + ".."));
    if (!users.isEmpty()) {
      Stream.of(users.split(" ", -1)).map(it -> "dev.millrace." + it + "..").forEach(allowed::add);
    }
    noClasses()
        .that()
        .resideOutsideOfPackages(allowed.toArray(String[]::new))
        .should()
        .dependOnClassesThat(residesBeside(module + ".internal"))
        .check(MILLRACE);
  }

  /**
   * A thread that is started in any other way could die unnoticed. The client is for processes of
   * others, without our health checks: each of its threads survives what one round throws.
   */
  @Test
  void threadsAreStartedWhereTheirDeathIsNoticed() {
    noClasses()
        .that()
        .resideOutsideOfPackages("..internal.thread..", "dev.millrace.client..")
        .should()
        .callCodeUnitWhere(
            DescribedPredicate.describe(
                "it starts a thread that nobody watches",
                ModuleBoundariesTest::startsUnwatchedThread))
        .check(MILLRACE);
  }

  private static boolean startsUnwatchedThread(JavaCall<?> call) {
    JavaClass owner = call.getTargetOwner();
    String name = call.getName();
    boolean creates = name.equals("<init>");
    if (owner.isEquivalentTo(Thread.class)) {
      return creates || Set.of("ofPlatform", "ofVirtual", "startVirtualThread").contains(name);
    }
    if (owner.isEquivalentTo(Executors.class)) {
      return name.startsWith("new") && !takes(call, ThreadFactory.class);
    }
    if (owner.isAssignableTo(CompletionStage.class)) {
      return name.endsWith("Async") && !takes(call, Executor.class);
    }
    return creates
        && (owner.isEquivalentTo(Timer.class)
            || owner.isEquivalentTo(ThreadPoolExecutor.class) && !takes(call, ThreadFactory.class)
            || owner.isEquivalentTo(ScheduledThreadPoolExecutor.class)
                && !takes(call, ThreadFactory.class));
  }

  private static boolean takes(JavaCall<?> call, Class<?> type) {
    return call.getTarget().getRawParameterTypes().stream()
        .anyMatch(parameter -> parameter.isEquivalentTo(type));
  }

  /** A command on a directory starts without what HTTP needs. */
  @ParameterizedTest
  @ValueSource(strings = {"dev.millrace.client..", "java.net.http.."})
  void onlyOneClassOfCliKnowsTheClient(String packages) {
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.cli..")
        .and()
        .doNotHaveSimpleName("RemoteWorkspace")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(packages)
        .check(MILLRACE);
  }

  /** Commands know a place; doctor checks the files of a directory. */
  @Test
  void onlyPlacesOfCliKnowTheWorkspace() {
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.cli..")
        .and()
        .resideOutsideOfPackages("dev.millrace.cli.place", "dev.millrace.cli.doctor")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.millrace.store..")
        .check(MILLRACE);
  }

  /** Route groups know jobs; the listener below them knows the web server. */
  @Test
  void routeGroupsDoNotKnowTheWebServer() {
    noClasses()
        .that(
            residesBeside(
                "http.jobnik",
                "http.so1",
                "http.openai",
                "http.inference",
                "http.stream",
                "http.webhook",
                "http.route"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.helidon..")
        .check(MILLRACE);
  }

  /** Classes of these packages, each of which must be there. */
  private static DescribedPredicate<JavaClass> residesBeside(String... packages) {
    DescribedPredicate<JavaClass> resides =
        DescribedPredicate.describe(
            "of packages " + List.of(packages),
            type ->
                Stream.of(packages)
                    .anyMatch(
                        it ->
                            (type.getPackageName() + ".").startsWith("dev.millrace." + it + ".")));
    for (String name : packages) {
      assertThat(MILLRACE.stream())
          .as(name)
          .anyMatch(it -> (it.getPackageName() + ".").startsWith("dev.millrace." + name + "."));
    }
    return resides;
  }

  /** The membership library is seen by one package: another library would be another package. */
  @Test
  void onlyOnePackageKnowsTheMembershipLibrary() {
    noClasses()
        .that(DescribedPredicate.not(residesBeside("cluster.internal.member")))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.jgroups..")
        .check(MILLRACE);
  }

  /** A command that reads no configuration starts without the parser. */
  @Test
  void onlyOnePackageOfCliKnowsToml() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.millrace.cli.config")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.tomlj..")
        .check(MILLRACE);
  }

  @Test
  void packagesAreNamedByWhatTheyDo() {
    noClasses()
        .should()
        .resideInAnyPackage("dev.millrace..util..", "dev.millrace..common..")
        .check(MILLRACE);
  }

  /** KeyManager and TrustManager are JSSE's own words. */
  @Test
  void classesAreNamedByWhatTheyDo() {
    noClasses()
        .should()
        .haveNameMatching(".*((?<!Key|Trust)Manager|Helper|Utils?|Impl)(\\$.*)?")
        .check(MILLRACE);
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

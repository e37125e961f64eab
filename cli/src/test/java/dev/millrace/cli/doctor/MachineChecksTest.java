package dev.millrace.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.model.MachineMemory;
import dev.millrace.cli.model.RandomModelFiles;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the doctor says of models, memory, vectors and the port, with and without a workspace. */
class MachineChecksTest extends CommandFixture {
  private static final long GIB = 1L << 30;

  @BeforeEach
  void noOtherModels() {
    cli.env("HOME", dir.resolve("user").toString());
    cli.env("OLLAMA_MODELS", dir.resolve("ollama").toString());
  }

  private List<JsonObject> found(String subject, String... args) {
    String[] all = new String[args.length + 2];
    all[0] = "doctor";
    all[1] = "--json";
    System.arraycopy(args, 0, all, 2, args.length);
    return cli.run(all).lines().stream()
        .map(Json::object)
        .filter(line -> subject.equals(line.get("check")))
        .toList();
  }

  private static void says(JsonObject line, String level, String text) {
    assertThat(line.get("level")).as(line.toString()).isEqualTo(level);
    assertThat(line.string("text")).contains(text);
    assertThat(line.has("remedy")).isEqualTo(!level.equals("ok"));
  }

  private static Finding only(Findings findings) {
    assertThat(findings.all()).hasSize(1);
    return findings.all().getFirst();
  }

  @Test
  void modelsAreNamedAndBrokenOnesToo() throws IOException {
    says(found("models").getFirst(), "warn", "none that can be run");
    Files.createDirectories(dir.resolve("models/sub"));
    RandomModelFiles.random(dir.resolve("models/sub/good.gguf"), 1);
    Files.write(dir.resolve("models/bad.gguf"), new byte[9]);
    cli.env("MILLRACE_MODELS_DIR", "none");
    List<JsonObject> lines = found("models");
    says(lines.getFirst(), "ok", "1 model: sub/good");
    assertThat(lines)
        .anySatisfy(line -> says(line, "warn", "\"bad\" cannot be read: "))
        .anySatisfy(line -> says(line, "warn", "MILLRACE_MODELS_DIR is not a directory"));
    assertThat(cli.run("doctor").status()).as("warnings are no failure").isZero();
  }

  @Test
  void modelsThatDoNotFitAreNamed() throws IOException {
    Files.createDirectories(dir.resolve("models"));
    RandomModelFiles.random(dir.resolve("models/good.gguf"), 1);
    Findings findings = new Findings();
    MachineMemory little = new MachineMemory(1_000, OptionalLong.empty(), 1_000);
    new ModelsCheck(cli.shell(), little).run(findings);
    assertThat(findings.all())
        .anySatisfy(
            finding -> {
              assertThat(finding.level()).isEqualTo(Finding.Level.WARN);
              assertThat(finding.text()).isEqualTo("too large for this machine's memory: good");
            });
  }

  @Test
  void memoryIsReportedWithItsLimits() {
    assertThat(found("memory").getFirst().string("text")).contains(" available; models may take ");
    Findings findings = new Findings();
    new MemoryCheck(new MachineMemory(16 * GIB, OptionalLong.of(2 * GIB), GIB / 2)).run(findings);
    assertThat(only(findings).level()).isEqualTo(Finding.Level.WARN);
    assertThat(only(findings).text())
        .startsWith(
            "16.0 GiB, limited to 2.0 GiB by its cgroup, 512 MiB available; models may take"
                + " 1.0 GiB by default, Java's heap ");
  }

  @Test
  void theWidthOfVectorsIsThatOfTheKernels() throws IOException {
    says(found("vectors").getFirst(), "ok", VectorWidth.BITS + " bits, by the JVM");
    Path cpuInfo = dir.resolve("cpuinfo");
    Files.writeString(cpuInfo, "processor: 0\nflags\t\t: fpu sse2 avx2 avx512f\n");
    assertThat(vectors(cpuInfo, 256).text())
        .isEqualTo("256 bits, by the JVM; the processor offers 512 bits (avx512f)");
    Files.writeString(cpuInfo, "flags : fpu sse2 avx\n");
    assertThat(vectors(cpuInfo, 128).level()).isEqualTo(Finding.Level.WARN);
    Files.writeString(cpuInfo, "Features : fp asimd\n");
    assertThat(vectors(cpuInfo, 128).level()).isEqualTo(Finding.Level.OK);
    assertThat(vectors(dir.resolve("none"), 512).text()).isEqualTo("512 bits, by the JVM");
  }

  private static Finding vectors(Path cpuInfo, int jvmBits) {
    Findings findings = new Findings();
    new VectorCheck(cpuInfo, OptionalInt.of(jvmBits)).run(findings);
    return only(findings);
  }

  @Test
  void aFreePortIsOkAndATakenOneSaysByWhom() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    String port = String.valueOf(server.getAddress().getPort());
    server.createContext(
        "/openapi.json",
        exchange -> {
          byte[] body = "{\"info\": {\"title\": \"Millrace\"}}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      says(found("port", "--port", port).getFirst(), "fail", "taken by another Millrace server");
      server.removeContext("/openapi.json");
      says(found("port", "--port", port).getFirst(), "fail", "is taken by another program");
      cli.submit("ws", "x");
      try (var store = Workspace.open(ws).own().orElseThrow()) {
        Workspace.open(ws).announce(JsonObject.create().put("http", "http://127.0.0.1:" + port));
        says(
            found("port", "ws", "--port", port).getFirst(),
            "ok",
            port + " is taken by the server of this workspace");
        assertThat(store).isNotNull();
      }
      Findings byDefault = new Findings();
      new PortCheck(Integer.parseInt(port), false, null).run(byDefault);
      assertThat(only(byDefault).level()).isEqualTo(Finding.Level.WARN);
    } finally {
      server.stop(0);
    }
    says(found("port", "--port", port).getFirst(), "ok", port + " is free");
    assertThat(cli.run("doctor", "--port", "0").status()).isEqualTo(2);
  }
}

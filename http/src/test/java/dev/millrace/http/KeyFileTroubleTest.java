package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.server.Server;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients and monitoring see while the file of keys cannot be relied on. */
class KeyFileTroubleTest {
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<String> get(URI at, String key) throws Exception {
    return client.send(
        HttpRequest.newBuilder(at).header("Authorization", "Bearer " + key).build(),
        BodyHandlers.ofString());
  }

  @Test
  void serverIsNotReadyAndSaysWhy(@TempDir Path directory) throws Exception {
    Path keys = directory.resolve("keys");
    String key = ApiKeyFile.add(keys, "me", Set.of(KeyScope.READ));
    try (JobStore store =
            new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock()));
        Server server = Server.builder(store).build().start();
        HttpApi api = HttpApi.over(store, HttpSettings.loopback(0).withKeys(keys), null)) {
      URI at = api.open(server, Set.of(), null);
      assertThat(get(at.resolve("/health/ready"), key).statusCode()).isEqualTo(200);

      String valid = Files.readString(keys);
      Files.writeString(keys, valid + "broken\n");
      assertThat(trouble(at, key)).contains("its changes are not in force");
      assertThat(get(at.resolve("/v1/jobs"), key).statusCode()).isEqualTo(200);

      Files.writeString(keys, valid);
      Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-rw-rw-"));
      assertThat(trouble(at, key)).contains("no key is accepted").doesNotContain("/");
      assertThat(get(at.resolve("/v1/jobs"), key).statusCode()).isEqualTo(503);
      assertThat(get(at.resolve("/health/live"), key).statusCode()).isEqualTo(200);

      Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
      assertThat(get(at.resolve("/health/ready"), key).statusCode()).isEqualTo(200);
      assertThat(get(at.resolve("/v1/jobs"), key).statusCode()).isEqualTo(200);
    }
  }

  private String trouble(URI at, String key) throws Exception {
    HttpResponse<String> ready = get(at.resolve("/health/ready"), key);
    assertThat(ready.statusCode()).isEqualTo(503);
    JsonObject body = Json.object(ready.body());
    return body.object("trouble").string("keys");
  }
}

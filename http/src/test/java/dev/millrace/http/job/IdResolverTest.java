package dev.millrace.http.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.PageRequest;
import dev.millrace.http.route.Problem;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids and cursors as clients send them. */
final class IdResolverTest {
  private static final JobId OURS = JobId.of(1_781_482_179_019_396L, 4090, 7);
  private static final JobId FOREIGN = new JobId("1736700000_12345_0");

  private final AtomicInteger listed = new AtomicInteger();
  private final List<JobId> jobs = new ArrayList<>(List.of(OURS, FOREIGN));
  private final AtomicLong nanos = new AtomicLong();
  private Consumer<JobId> changes = _ -> {};
  private final IdResolver ids = new IdResolver(store(), nanos::get);

  /** A store that can only list jobs and report changes. */
  private JobStore store() {
    return (JobStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {JobStore.class}, this::call);
  }

  @SuppressWarnings("unchecked") // the parameter of onChange
  private Object call(Object proxy, Method method, Object[] arguments) {
    if (method.getName().equals("onChange")) {
      changes = (Consumer<JobId>) arguments[0];
      return (Subscription) () -> changes = _ -> {};
    }
    assertThat(method.getName()).isEqualTo("list");
    listed.incrementAndGet();
    return List.copyOf(jobs);
  }

  @Test
  void ownUuidsAreResolvedWithoutTheStore() {
    assertThat(ids.job(EntityId.of(OURS).toString())).isEqualTo(OURS);
    EntityId stage = EntityId.of(OURS, 2);
    EntityId task = new EntityId(OURS, 2, 9);
    assertThat(ids.stage(stage.toString())).isEqualTo(stage);
    assertThat(ids.task(task.toString())).isEqualTo(task);
    assertThat(ids.job(OURS.value())).isEqualTo(OURS);
    assertThat(listed).hasValue(0);
  }

  @Test
  void unknownIdIsSearchedOnce() {
    String none = EntityId.of(new JobId("1736700000_99999_0")).toString();
    for (int i = 0; i < 5; i++) {
      assertThatExceptionOfType(Problem.class)
          .isThrownBy(() -> ids.job(none))
          .matches(problem -> problem.kind() == Problem.Kind.NOT_FOUND);
    }
    assertThat(listed).hasValue(1);
    assertThat(ids.job(EntityId.of(FOREIGN).toString())).isEqualTo(FOREIGN);
  }

  private void notFound(JobId id) {
    refused(() -> ids.job(EntityId.of(id).toString()), Problem.Kind.NOT_FOUND, "JOB_NOT_FOUND");
  }

  @Test
  void manyUnknownIdsCauseOneListing() {
    for (int i = 0; i < 1_000; i++) {
      notFound(new JobId("1736700000_7_" + i));
    }
    assertThat(listed).hasValue(1);
  }

  @Test
  void jobThatReportsItselfIsFoundWithoutAListing() {
    JobId added = new JobId("1736700000_8_1");
    notFound(added);
    changes.accept(added);
    assertThat(ids.job(EntityId.of(added).toString())).isEqualTo(added);
    assertThat(listed).hasValue(1);
    ids.close();
    changes.accept(OURS);
  }

  @Test
  void jobThatWasPutThereByHandIsFoundByTheNextListing() {
    JobId added = new JobId("1736700000_8_1");
    notFound(added);
    jobs.add(added);
    nanos.addAndGet(HashedJobIndex.MIN_AGE.toNanos() - 1);
    notFound(added);
    nanos.addAndGet(1);
    assertThat(ids.job(EntityId.of(added).toString())).isEqualTo(added);
    assertThat(listed).hasValue(2);
  }

  @Test
  void foreignJobIsSearchedOnce() {
    assertThat(ids.job(EntityId.of(FOREIGN).toString())).isEqualTo(FOREIGN);
    EntityId task = new EntityId(FOREIGN, 1, 3);
    assertThat(EntityId.isHashed(task.uuid())).isTrue();
    assertThat(ids.task(task.toString())).isEqualTo(task);
    assertThat(listed).hasValue(1);
  }

  private static void refused(Runnable action, Problem.Kind kind, @Nullable String code) {
    assertThatExceptionOfType(Problem.class)
        .isThrownBy(action::run)
        .satisfies(problem -> assertThat(problem.kind()).isEqualTo(kind))
        .satisfies(problem -> assertThat(problem.code()).isEqualTo(code));
  }

  @Test
  void unknownUuidIsNotFound() {
    String random = UUID.randomUUID().toString();
    refused(() -> ids.job(random), Problem.Kind.NOT_FOUND, "JOB_NOT_FOUND");
    refused(() -> ids.stage(random), Problem.Kind.NOT_FOUND, "STAGE_NOT_FOUND");
    refused(() -> ids.task(random), Problem.Kind.NOT_FOUND, "TASK_NOT_FOUND");
    String job = EntityId.of(OURS).toString();
    refused(() -> ids.stage(job), Problem.Kind.NOT_FOUND, "STAGE_NOT_FOUND");
    refused(() -> ids.task(job), Problem.Kind.NOT_FOUND, "TASK_NOT_FOUND");
    String stage = EntityId.of(OURS, 1).toString();
    refused(() -> ids.job(stage), Problem.Kind.NOT_FOUND, "JOB_NOT_FOUND");
    String unknown = EntityId.of(new JobId("1736700001_1_0")).toString();
    refused(() -> ids.job(unknown), Problem.Kind.NOT_FOUND, "JOB_NOT_FOUND");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "_1", "1-1-1-1-1", "00000006-1234-8abc-8000-00000000000g"})
  void malformedUuidIsInvalid(String text) {
    refused(() -> ids.job(text), Problem.Kind.INVALID, null);
    refused(() -> ids.task(text), Problem.Kind.INVALID, null);
  }

  @Test
  void cursorIsReadBack() {
    for (EntityId id : List.of(EntityId.of(OURS), new EntityId(FOREIGN, 3, 200_000))) {
      PageRequest page =
          PageRequest.of(call("/v1/x", Map.of("cursor", PageRequest.cursor(id), "limit", "7")));
      assertThat(page).isEqualTo(new PageRequest(7, id));
    }
    assertThat(PageRequest.of(call("/v1/x", Map.of()))).isEqualTo(new PageRequest(100, null));
    assertThat(PageRequest.of(call("/v1/x", Map.of()), 1000).limit()).isEqualTo(1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "!!", "MS4yLjM0NTY3ODk", "MQ", "XzEuMC4w"})
  void malformedCursorIsInvalid(String cursor) {
    refused(() -> PageRequest.of(call("/", Map.of("cursor", cursor))), Problem.Kind.INVALID, null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1001", "x", "", "99999999999", "٣"})
  void limitOutsideTheRangeIsInvalid(String limit) {
    refused(() -> PageRequest.of(call("/", Map.of("limit", limit))), Problem.Kind.INVALID, null);
  }

  @Test
  void nextPageHasTheSameQueryWithAnotherCursor() {
    String cursor = PageRequest.cursor(EntityId.of(OURS));
    Map<String, String> fields =
        PageRequest.of(call("/v1/x?a=b&cursor=old&c=%20<>", Map.of()))
            .nextPageHeaders(call("/v1/x?a=b&cursor=old&c=%20<>", Map.of()), EntityId.of(OURS));
    assertThat(fields.get("X-Next-Cursor")).isEqualTo(cursor);
    assertThat(fields.get("Link"))
        .isEqualTo("</v1/x?a=b&c=%20%3C%3E&cursor=" + cursor + ">; rel=\"next\"");
    assertThat(
            PageRequest.of(call("/v1/x", Map.of()))
                .nextPageHeaders(call("/v1/x", Map.of()), EntityId.of(OURS)))
        .containsEntry("Link", "</v1/x?cursor=" + cursor + ">; rel=\"next\"");
  }

  private static ApiRequest call(String target, Map<String, String> query) {
    return new ApiRequest() {
      @Override
      public String requestId() {
        return "id";
      }

      @Override
      public Principal principal() {
        return Principal.LOCAL;
      }

      @Override
      public String path() {
        return target;
      }

      @Override
      public String pathParameter(String name) {
        throw new IllegalArgumentException(name);
      }

      @Override
      public Optional<String> query(String name) {
        return Optional.ofNullable(query.get(name));
      }

      @Override
      public Optional<String> header(String name) {
        return Optional.empty();
      }

      @Override
      public @Nullable Object body() {
        return null;
      }

      @Override
      public @Nullable TraceContext trace() {
        return null;
      }
    };
  }
}

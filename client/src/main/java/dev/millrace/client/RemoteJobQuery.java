package dev.millrace.client;

import dev.millrace.api.ApiJob;
import dev.millrace.api.So1Job;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader.Query;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers a job query from the API's lists. The newest jobs come without their own ids, so that
 * jobs whose UUIDs have only a hash of it are left out there: those of directories that a user has
 * named.
 */
final class RemoteJobQuery {
  private static final int PAGE = 1_000;

  private final MillraceClient client;

  RemoteJobQuery(MillraceClient client) {
    this.client = client;
  }

  List<JobId> find(Query query) {
    boolean any =
        query.states().size() == JobState.values().length
            && query.parent() == null
            && query.idPart() == null
            && !query.atGate();
    return query.newest() && any ? newest(query) : scan(query);
  }

  /** The list of the so1 API starts at the newest job. */
  private List<JobId> newest(Query query) {
    return client
        .so1()
        .all(null, query.tag())
        .map(So1Job::id)
        .map(ApiViewConverter::toJobId)
        .filter(Objects::nonNull)
        .filter(id -> within(query, id))
        .limit(query.limit())
        .toList()
        .reversed();
  }

  private List<JobId> scan(Query query) {
    Stream<JobId> found =
        client
            .jobs()
            .all(filter(query))
            .filter(job -> matches(query, job))
            .map(RemoteJobQuery::id)
            .filter(Objects::nonNull)
            .filter(id -> within(query, id))
            .sorted();
    if (!query.newest()) {
      return found.limit(query.limit()).toList();
    }
    Deque<JobId> last = new ArrayDeque<>();
    found.forEach(
        id -> {
          last.addLast(id);
          if (last.size() > query.limit()) {
            last.removeFirst();
          }
        });
    return List.copyOf(last);
  }

  private static JobFilter filter(Query query) {
    return JobFilter.all()
        .idContaining(query.idPart())
        .waitingForApproval(query.atGate())
        .limit(PAGE);
  }

  private static @Nullable JobId id(ApiJob job) {
    return job.ownId() == null ? ApiViewConverter.toJobId(job.id()) : job.ownId();
  }

  private static boolean matches(Query query, ApiJob job) {
    return query.states().contains(job.status())
        && (query.tag() == null || job.tags().contains(query.tag()))
        && (query.parent() == null
            || query.parent().equals(ApiViewConverter.toJobId(job.parent())));
  }

  private static boolean within(Query query, JobId id) {
    JobId beyond = query.beyond();
    return beyond == null || (query.newest() ? id.compareTo(beyond) < 0 : id.compareTo(beyond) > 0);
  }
}

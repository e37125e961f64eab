package dev.millrace.store.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** While a database is away, few callers wait for it. */
@Timeout(20)
class ConnectionSourceTest {
  private static final SQLException REFUSED = new SQLException("refused", "08001");

  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicLong now = new AtomicLong();
  private Answer answer = () -> connection();
  private final ConnectionSource source = new ConnectionSource(pool(), now::get);

  private interface Answer {
    Connection get() throws SQLException;
  }

  private DataSource pool() {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (_, _, _) -> {
              asked.incrementAndGet();
              return answer.get();
            });
  }

  private static Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, _, _) -> null);
  }

  private void goAway() {
    answer =
        () -> {
          throw new SQLTransientConnectionException("timed out", "08001", REFUSED);
        };
    assertThatThrownBy(source::open).hasCause(REFUSED);
  }

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void callersAreToldAtOnceThatTheDatabaseIsAway() {
    goAway();
    pass(999);
    assertThatThrownBy(source::open)
        .isInstanceOf(SQLException.class)
        .hasMessage("timed out")
        .hasRootCause(REFUSED);
    assertThat(asked).hasValue(1);
  }

  @Test
  void nowAndThenACallerTriesAgain() throws SQLException {
    goAway();
    pass(1_000);
    assertThatThrownBy(source::open).hasCause(REFUSED);
    assertThatThrownBy(source::open).hasRootCause(REFUSED);
    assertThat(asked).hasValue(2);
    pass(1_000);
    answer = () -> connection();
    assertThat(source.open()).isNotNull();
    assertThat(source.open()).isNotNull();
  }

  @Test
  void oneCallerAtATimeTries() throws Exception {
    goAway();
    pass(1_000);
    CountDownLatch trying = new CountDownLatch(1);
    CountDownLatch back = new CountDownLatch(1);
    answer =
        () -> {
          trying.countDown();
          try {
            back.await();
          } catch (InterruptedException e) {
            throw new SQLException(e);
          }
          return connection();
        };
    CompletableFuture<Connection> first =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return source.open();
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    trying.await();
    assertThatThrownBy(source::open).hasRootCause(REFUSED);
    back.countDown();
    assertThat(first.get()).isNotNull();
  }

  @Test
  void itIsBackOnceItWasReachedInAnotherWay() throws SQLException {
    goAway();
    answer = () -> connection();
    source.reached();
    assertThat(source.open()).isNotNull();
  }

  @Test
  void aPoolThatIsInUseIsWaitedFor() {
    answer =
        () -> {
          throw new SQLTransientConnectionException("all in use");
        };
    assertThatThrownBy(source::open).hasMessage("all in use");
    assertThatThrownBy(source::open).hasMessage("all in use").hasNoCause();
    assertThat(asked).hasValue(2);
  }
}

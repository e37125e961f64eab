package dev.millrace.store.postgres.chaos;

import dev.millrace.store.postgres.fixture.FaultyProxy;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A database, the servers that share it, and the clients that submit to it. */
final class ChaosCluster {
  /** The clocks of the servers at first. */
  private static final List<Duration> AHEAD =
      List.of(Duration.ZERO, Duration.ofHours(3), Duration.ofHours(-5), Duration.ofHours(11));

  private static final String CONNECTIONS =
      "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + ChaosDatabase.USER + "'";

  private final ChaosRun run;
  private final ChaosDatabase database;
  private final List<ServerProcess> servers = new ArrayList<>();
  private final List<StoreClient> clients = new ArrayList<>();
  private final List<FaultyProxy> proxies = new ArrayList<>();

  private ChaosCluster(ChaosRun run, ChaosDatabase database) {
    this.run = run;
    this.database = database;
  }

  static ChaosCluster start(ChaosRun run) throws IOException, SQLException, InterruptedException {
    ChaosDatabase database = ChaosDatabase.start(run.directory());
    ChaosCluster cluster = new ChaosCluster(run, database);
    try {
      cluster.addAll();
    } catch (IOException | RuntimeException | Error e) {
      cluster.end();
      throw e;
    }
    return cluster;
  }

  private void addAll() throws IOException, InterruptedException {
    for (String name : List.of("client-a", "client-b")) {
      FaultyProxy proxy = new FaultyProxy(database.port());
      proxies.add(proxy);
      addClient(name, proxy.port());
    }
    addClient("auditor", database.port());
    auditor().migrate();
    for (int i = 0; i < ChaosSettings.SERVERS; i++) {
      FaultyProxy proxy = new FaultyProxy(database.port());
      servers.add(new ServerProcess(run, "server-" + i, proxy, AHEAD.get(i % AHEAD.size())));
    }
    for (ServerProcess server : servers) {
      server.awaitReady();
    }
  }

  private void addClient(String name, int port) {
    clients.add(new StoreClient(run.history(), name, ChaosDatabase.url(port, 4), false));
  }

  ChaosDatabase database() {
    return database;
  }

  List<ServerProcess> servers() {
    return servers;
  }

  /** Two clients behind proxies. */
  List<StoreClient> clients() {
    return clients.subList(0, 2);
  }

  /** The proxies of the clients. */
  List<FaultyProxy> proxies() {
    return proxies;
  }

  /** A client without a proxy. */
  StoreClient auditor() {
    return clients.getLast();
  }

  /** Lets all servers end in order; then everything is known that their workers were told. */
  void terminateServers() throws IOException, InterruptedException {
    for (ServerProcess server : servers) {
      server.terminate();
    }
  }

  /** Closes all clients, too: nothing may be left. */
  void closeClients() throws InterruptedException, SQLException {
    clients.forEach(StoreClient::close);
    long end = System.nanoTime() + ChaosRun.PATIENCE.toNanos();
    int left = connections();
    while (left > 0 && System.nanoTime() < end) {
      Thread.sleep(50); // the database notices it a little later
      left = connections();
    }
    if (left > 0) {
      run.history().problem(left + " connections are left");
    }
  }

  private int connections() throws SQLException {
    try (Connection admin = database.admin();
        Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(CONNECTIONS)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** Ends everything, however it is. */
  void end() throws IOException, InterruptedException {
    for (ServerProcess server : servers) {
      server.end();
    }
    for (FaultyProxy proxy : proxies) {
      proxy.close();
    }
    database.close();
    clients.forEach(StoreClient::close);
  }
}

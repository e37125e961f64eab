package dev.millrace.store.postgres;

import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.settings.PostgresSettings;

/** A program that connects with the variables of its own process, and prints what comes of it. */
final class ConnectOnce {
  private ConnectOnce() {}

  /** Its argument is the address of the database. */
  public static void main(String[] args) {
    try (PostgresDatabase database = PostgresDatabase.open(PostgresSettings.parse(args[0]))) {
      System.out.println("connected: " + database.settings());
    } catch (StoreException e) {
      e.printStackTrace(System.out);
    }
  }
}

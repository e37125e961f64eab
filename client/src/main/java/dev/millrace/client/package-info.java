/**
 * The API from a program's side: {@link dev.millrace.client.MillraceClient} has a method for every
 * path, {@link dev.millrace.client.Worker} works tasks off, {@link dev.millrace.client.Remote} lets
 * {@code Work} and {@code Flow} speak to a server as they would to a directory.
 */
@NullMarked
package dev.millrace.client;

import org.jspecify.annotations.NullMarked;
